"""What is known: entries and documents as passages, a graph of what is in them, and answers that cite."""
