"""Probit regression:  P(1 | x) = Φ(w·x + b),  Φ the normal distribution function,

by (penalized) maximum likelihood:  (1/Σw_i) Σ w_i (−ln Φ(y_i z_i)) + strength · penalty(W),  y_i = ±1.
It models a normal latent variable that is observed only as above or below a threshold. Φ(z) is close to the
logistic function of 1.6 z, but its tails are lighter: a mislabelled row far from the boundary costs z²/2. It is for two
classes. OrdinalRegression is for ordered classes; for others there is OneVsRest(ProbitRegression()).

Predicts: scores Φ⁻¹(P(1 | x)), linear in x, and probabilities.
Cost: O(n d² + d³) per Newton step for up to 500 features; O(n d) per conjugate-gradient step for more.
Certificate: duality gap; gradient cosine without a penalty.
Reference: Bishop (2006), §4.3.5; McCullagh & Nelder (1989), §4.3.
"""

from __future__ import annotations

from typing import Any, ClassVar

from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.logistic_regression import LogisticRegression


class ProbitRegression(LinearClassifier):
    loss = "probit"
    for_more_classes: ClassVar[str] = "OneVsRest(ProbitRegression())"
    __init__: Any = LogisticRegression.__init__  # the same parameters
