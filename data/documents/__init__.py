"""What documents hold, read without running anything in them: a path in, texts and tables out."""
