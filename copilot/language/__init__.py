"""How a request is read: from words to calls that have been tried."""
