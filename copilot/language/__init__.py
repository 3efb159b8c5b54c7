"""From what somebody says to the calls that answer it."""
