"""What is known of remote-sensing foundation models: one record a model, read, checked and exported."""
