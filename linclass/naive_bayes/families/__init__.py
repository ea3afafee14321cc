"""Exponential families: the distribution of the features in a class."""

FAMILIES = {
    "bernoulli": "linclass.naive_bayes.families.discrete.Bernoulli",
    "beta": "linclass.naive_bayes.families.positive.Beta",
    "categorical": "linclass.naive_bayes.families.discrete.Categorical",
    "dirichlet": "linclass.naive_bayes.families.positive.Dirichlet",
    "exponential": "linclass.naive_bayes.families.positive.Exponential",
    "gamma": "linclass.naive_bayes.families.positive.Gamma",
    "gaussian": "linclass.naive_bayes.families.gaussian.Gaussian",
    "geometric": "linclass.naive_bayes.families.discrete.Geometric",
    "multinomial": "linclass.naive_bayes.families.discrete.Multinomial",
    "multivariate_gaussian": "linclass.naive_bayes.families.gaussian.MultivariateGaussian",
    "poisson": "linclass.naive_bayes.families.discrete.Poisson",
    "spherical_gaussian": "linclass.naive_bayes.families.gaussian.SphericalGaussian",
}
