"""Models with a posterior over the weights: Bayesian logistic and linear regression, relevance vector machines."""
