"""What is known: entries and documents as passages, a graph of entities and relations, and answers that cite."""
