"""Read and check a study: configuration, catalogues, and the code that its jobs run."""
