"""What is given by its name: parts of linclass, import paths, names of other libraries."""
