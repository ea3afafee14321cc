"""Loss functions: one loss, one file."""

LOSSES = {
    "bi_tempered": "linclass.linear.losses.bi_tempered.BiTempered",
    "crammer_singer": "linclass.linear.losses.crammer_singer.CrammerSinger",
    "epsilon_insensitive": "linclass.linear.losses.epsilon_insensitive.EpsilonInsensitive",
    "exponential": "linclass.linear.losses.exponential.Exponential",
    "hinge": "linclass.linear.losses.hinge.Hinge",
    "huber": "linclass.linear.losses.huber.Huber",
    "kesler": "linclass.linear.losses.kesler.Kesler",
    "logistic": "linclass.linear.losses.logistic.Logistic",
    "modified_huber": "linclass.linear.losses.modified_huber.ModifiedHuber",
    "perceptron": "linclass.linear.losses.perceptron.Perceptron",
    "probit": "linclass.linear.losses.probit.Probit",
    "softmax": "linclass.linear.losses.softmax.Softmax",
    "squared": "linclass.linear.losses.squared.Squared",
    "squared_epsilon_insensitive": "linclass.linear.losses.squared_epsilon_insensitive.SquaredEpsilonInsensitive",
    "squared_hinge": "linclass.linear.losses.squared_hinge.SquaredHinge",
    "tempered_softmax": "linclass.linear.losses.tempered_softmax.TemperedSoftmax",
    "zero_one": "linclass.linear.losses.zero_one.ZeroOne",
}
