"""Linear separability of two classes: a separating hyperplane, or a proof that there is none."""
