"""Files that users bring: found out by their content, checked, and made into what the tools work on."""
