"""The table of coefficients of a fit by maximum likelihood, for classifiers that are a `Composition`."""

from __future__ import annotations

from linclass.base.arrays import Array
from linclass.base.classifier import Classifier
from linclass.base.weights import as_counts
from linclass.linear.composition.composition import Composition
from linclass.linear.likelihood.information import Information, Summary
from linclass.linear.objective.coordinates import centred
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution

LARGEST_SUMMARY = 500  # parameters up to which their covariance is kept
INFLATED = 1e8  # inflation that costs half of the digits of a variance


class LikelihoodSummary(Composition, Classifier):
    """Keeps the information matrix of an unpenalized fit, and shows it."""

    coef_: Array
    fit_intercept: bool

    def summary(self, information: str = "expected") -> Summary:
        """Table of coefficients as R's `glm` prints it, for unpenalized fits.

        Weights are frequency weights; those with a mean below 1 are scaled to a mean of 1.

        Parameters
        ----------
        information : {'expected', 'observed'}, default='expected'
            Information matrix whose inverse gives the standard errors: expected, as in R's `glm` and
            statsmodels' `GLM`; or observed, the Hessian of the fit, as in Stata and statsmodels'
            `Probit`. They are equal for logistic regression.

        Returns
        -------
        Summary
            Its `table` holds estimate, standard error, z score and p-value of each parameter; it has
            `deviance`, `null_deviance` and `aic`; `print` shows all of it.
        """
        if information not in ("expected", "observed"):
            raise ValueError(f"information is {information!r}; use 'expected' or 'observed'.")
        found = getattr(self, "_information", None)
        if found is None:
            self._require_fit()
            raise ValueError(f"no standard errors: {self._why_no_summary()}")
        steps = f"{self.n_iter_} ({self.solver_})"
        return Summary(found, self._parameter_names(), information, steps)

    def _look_at_optimum(
        self, objective: Objective, solution: Solution, codes: Array, weights: Array
    ) -> None:
        regular = solution.converged and solution.rank is None and not objective.strength
        if not regular or objective.n_parameters > LARGEST_SUMMARY:
            return
        weights = as_counts(weights)
        found = Information.at(solution.point_of(objective), codes, weights)
        if found is None or found.inflation > INFLATED:
            near = centred(objective)
            if near is not None:  # the rows are far from 0
                point = near.objective.at(near.units.coordinates(solution.theta))
                found = Information.at(point, codes, weights)
                found = found and found.uncentred(near.units.mean)
        self._information = found

    def _why_no_summary(self) -> str:
        if self._is_penalized():
            return f"penalty is {self.penalty!r}, which biases the fit. Use penalty=None."
        if self.status_ != "converged":
            return f"status_ is {self.status_!r}: {self.reason_}"
        return f"{self.coef_.size} parameters; a covariance is kept up to {LARGEST_SUMMARY}."

    def _parameter_names(self) -> list[str]:
        n = self.n_features_in_
        features = list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(n)]))
        first = ["(Intercept)", *features] if self.fit_intercept else features
        if len(self.classes_) == 2:
            return first
        return [f"{c}:{name}" for c in self.classes_[1:] for name in first]
