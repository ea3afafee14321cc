"""The linear classifier with the fewest training errors, certified on small problems, else approximate."""
