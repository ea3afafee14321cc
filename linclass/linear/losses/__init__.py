"""Loss functions by name."""

LOSSES = {
    "bi_tempered": "linclass.linear.losses.tempered.BiTempered",
    "crammer_singer": "linclass.linear.losses.multiclass.CrammerSinger",
    "epsilon_insensitive": "linclass.linear.losses.regression.EpsilonInsensitive",
    "exponential": "linclass.linear.losses.margin.Exponential",
    "hinge": "linclass.linear.losses.margin.Hinge",
    "huber": "linclass.linear.losses.regression.Huber",
    "kesler": "linclass.linear.losses.multiclass.Kesler",
    "logistic": "linclass.linear.losses.margin.Logistic",
    "modified_huber": "linclass.linear.losses.margin.ModifiedHuber",
    "perceptron": "linclass.linear.losses.margin.Perceptron",
    "probit": "linclass.linear.losses.probit.Probit",
    "softmax": "linclass.linear.losses.multiclass.Softmax",
    "squared": "linclass.linear.losses.regression.Squared",
    "squared_epsilon_insensitive": "linclass.linear.losses.regression.SquaredEpsilonInsensitive",
    "squared_hinge": "linclass.linear.losses.margin.SquaredHinge",
    "tempered_softmax": "linclass.linear.losses.tempered.TemperedSoftmax",
    "zero_one": "linclass.linear.losses.margin.ZeroOne",
}
