"""The modules of all public classifiers and regressors, over which laws are tested."""

from importlib import import_module

import linclass
from linclass.base.estimator import Estimator
from linclass.base.public import module_of

MODULES = [import_module(module_of(name)) for name in linclass.__all__ if name[0].isupper()]


def own_classes(module):
    """The classes that are defined in a module."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    return [kind for kind in kinds if kind.__module__ == module.__name__]


ESTIMATORS = [k for module in MODULES for k in own_classes(module) if issubclass(k, Estimator)]
FEW_STEPS = {  # of models that take the longest
    "BalancedWinnow": {"max_iter": 20},
    "Calibrated": {"cv": 2},
    "KernelPerceptron": {"max_iter": 20},
    "Perceptron": {"max_iter": 20},
    "TunedClassifier": {"strengths": 3, "cv": 2},
    "TunedRegressor": {"strengths": 3, "cv": 2},
    "Winnow": {"max_iter": 20},
    "ZeroOneClassifier": {"node_limit": 0},
}


def made(kind):
    """A model of that kind, for tests of conventions that no number of steps changes."""
    return kind(**FEW_STEPS.get(kind.__name__, {}))
