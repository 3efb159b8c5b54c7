"""Long runs that look for what breaks: random calls, hostile requests, kills (docs/security.md)."""
