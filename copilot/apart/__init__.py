"""The embedded planner's reading in processes of its own, which can be ended and hold nobody else up.

A request may take the planner's patterns long, and while one of them runs nothing else of its process does.
So the app reads in processes beside it (copilot/apart/pool.py): a first one that has loaded everything and
runs nothing (copilot/apart/process.py), and copies of it, which take some milliseconds and little memory.
One that is at it longer than `copilot.bounds.READING_CPU_S` is ended by the kernel, and replaced.
"""
