"""The way out to the web: one guarded fetcher, and the protocols of the services asked through it."""
