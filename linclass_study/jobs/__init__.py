"""Assignment of runs to jobs: the cost of a run, the runs that share a job, the resources of a job."""
