"""Online learners: perceptrons, passive-aggressive, Adaline, Winnow and other updates row by row."""
