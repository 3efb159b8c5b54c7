"""The Model Context Protocol, both ways: Azimuth's tools for other programs, and other servers' tools here.

A client of ours (`server`, `visitors`, `asking`, `resources`, `prompts`) has a session of its own, with the
rights of the person whose token it shows. A server of somebody else (`foreign`, `wire`, `declared`,
`answers`) gives tools to the sessions of whoever added it; what it says is data, and what it can do is what
it declared.
"""
