"""What the Snakefile calls: the inputs and parameters of rules, and what happens before and after the jobs."""
