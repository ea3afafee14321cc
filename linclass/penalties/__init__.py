"""What large weights cost: one penalty, one file."""
