"""Question sets, and what is measured with them beside `copilot knowledge bench`."""
