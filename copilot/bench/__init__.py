"""The benchmark: tasks that are made and checked without a person, and agents run over them."""
