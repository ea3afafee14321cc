"""The command line `linclass`: check a study, verify two results, merge several, publish one as an archive."""
