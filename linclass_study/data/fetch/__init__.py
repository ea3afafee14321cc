"""The job of the rule `fetch`: find a source that works, read it, save the data set."""
