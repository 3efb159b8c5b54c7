"""Finding other servers' tools by what they say of themselves."""
