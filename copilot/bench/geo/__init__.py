"""Tasks of GIS analysts: an instruction, input files, files that are to be delivered, and a grader."""
