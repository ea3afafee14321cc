"""What is said as proved is proved here: in exact arithmetic, or in floats with a bound for every rounding."""
