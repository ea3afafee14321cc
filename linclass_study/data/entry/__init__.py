"""What the entry of a data set says, without the data themselves."""
