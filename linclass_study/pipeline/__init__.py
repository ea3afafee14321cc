"""From rows to held-out predictions: transforms, tuning, classifier, decision, all fitted to training rows."""
