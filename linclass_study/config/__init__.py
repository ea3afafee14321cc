"""Read and check a study: its configuration, the catalogues, and the code that its jobs run."""
