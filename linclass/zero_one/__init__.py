"""The linear classifier with the fewest training errors, exactly if that can be proved, else approximately."""
