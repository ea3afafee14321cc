"""The command line `linclass`: verify two results, merge several, publish one as an archive."""
