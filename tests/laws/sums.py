"""Parameters of the classifiers that are functions of sums over the rows."""

FAMILIES = ("gaussian", "spherical_gaussian", "multivariate_gaussian", "gamma", "exponential")
SHRUNK = [{"shrinkage": s} for s in (0.1, 0.5, 1.0)]
PARAMS = {
    "LinearDiscriminantAnalysis": [{}, {"ddof": 0, "priors": "uniform"}, {"covariance_type": "diag"},
        {"covariance_type": "spherical"}, *SHRUNK, {"shrinkage": 0.2, "covariance_type": "diag"}],
    "QuadraticDiscriminantAnalysis": [{}, {"ddof": 0}, *SHRUNK],
    "RegularizedDiscriminantAnalysis": [{}, {"pooling": 0.0}, {"shrinkage": 0.0},
        {"pooling": 1.0, "shrinkage": 0.3, "ddof": 0}],
    "FisherDiscriminant": [{}, {"n_components": 1}],
    "ReducedRankLDA": [{}, {"n_components": 1}, {"n_components": 1, "priors": "uniform"}],
    "NearestShrunkenCentroids": [{}, {"threshold": 2.0, "spread_offset": 0.5}],
    "NearestMean": [{}],
    "GaussianNB": [{}, {"tied": True}, {"var_smoothing": 1e-2, "priors": "uniform"}],
    # inside the data: at 0 all of its features are 1
    "BernoulliNB": [{"binarize": 1.0}, {"binarize": 1.5}, {"binarize": 1.0, "smoothing": 0.1, "priors": "uniform"}],
    "CategoricalNB": [{}, {"smoothing": 0.01}],
    "MultinomialNB": [{}, {"smoothing": 0.01}],
    "PoissonNB": [{}, {"smoothing": 0.01}],
    "ExponentialFamilyNB": [{}, *({"families": name} for name in FAMILIES),
        {"families": {0: "poisson", 1: "categorical", 2: "geometric"}, "smoothing": 0.1}],
    "LeastSquaresClassifier": [{}, {"fit_intercept": False},
        *({"penalty": "l2", "strength": s} for s in (1e-3, 0.1, 10.0)),
        {"penalty": "l2", "strength": 0.1, "fit_intercept": False}],
}  # fmt: skip
