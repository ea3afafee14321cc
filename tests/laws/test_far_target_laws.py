"""Support vector regression of targets far from 0, c + s·y: the function c + s·f, for the intercept is free."""

import numpy as np
from cases import each
from numpy.testing import assert_allclose

from linclass import SupportVectorRegressor

POWER = {
    "epsilon_insensitive": 1,
    "squared_epsilon_insensitive": 2,
}  # the loss of s·r is s^power times as large


def curve():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=60)
    return X, np.round(y * 256) / 256  # c + s·y is exact


def model(kernel, loss, s, **own):
    strength = 1e-3 * s ** (POWER[loss] - 2)
    return SupportVectorRegressor(
        kernel=kernel, loss=loss, epsilon=0.125 * s, strength=strength, **own
    )


@each(("c", "s"), [(5.0, 2.0**-23), (1e6, 1.0), (-1e8, 1.0)])
@each("loss", POWER)
@each("kernel", ["linear", "gaussian"])
def test_far_targets_give_the_function_of_near_ones(kernel, loss, c, s):
    X, y = curve()
    near, far = model(kernel, loss, 1.0).fit(X, y), model(kernel, loss, s).fit(X, c + s * y)
    assert far.status_ == near.status_ == "converged"
    assert_allclose((far.predict(X) - c) / s, near.predict(X), atol=1e-6)
