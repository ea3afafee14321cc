"""Exponential families, one a file: the distribution of the features in a class."""

FAMILIES = {
    "bernoulli": "linclass.naive_bayes.families.bernoulli.Bernoulli",
    "beta": "linclass.naive_bayes.families.beta.Beta",
    "categorical": "linclass.naive_bayes.families.categorical.Categorical",
    "dirichlet": "linclass.naive_bayes.families.dirichlet.Dirichlet",
    "exponential": "linclass.naive_bayes.families.exponential.Exponential",
    "gamma": "linclass.naive_bayes.families.gamma.Gamma",
    "gaussian": "linclass.naive_bayes.families.gaussian.Gaussian",
    "geometric": "linclass.naive_bayes.families.geometric.Geometric",
    "multinomial": "linclass.naive_bayes.families.multinomial.Multinomial",
    "multivariate_gaussian": "linclass.naive_bayes.families.multivariate_gaussian.MultivariateGaussian",
    "poisson": "linclass.naive_bayes.families.poisson.Poisson",
    "spherical_gaussian": "linclass.naive_bayes.families.spherical_gaussian.SphericalGaussian",
    "tied_gaussian": "linclass.naive_bayes.families.tied_gaussian.TiedGaussian",
}
