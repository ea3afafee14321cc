"""What figures share: style, panels, labels, the notice in place of a figure, and files in three formats."""
