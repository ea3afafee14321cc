"""What scikit-learn expects of estimators, and what linear ones share."""
