"""Loss, penalty and solver by name, and what an estimator learns from their solutions."""
