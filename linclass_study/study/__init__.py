"""What a study says, and whether it can work: configuration, catalogues, the code that jobs run."""
