"""Which parameters a penalty does not use, such as the strength of none (base/parameters.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from linclass.base.parameters import defaults_of
from linclass.base.parts import find, names
from linclass.linear.penalties.base import Penalty, PenaltyLike

PENALTY_OPTIONS = ("l1_ratio", "factors")  # parameters of the estimator that penalties may have


class NamesIdleOptions:
    """Mixin of estimators with a penalty: names the parameters that it does not use, and says why."""

    penalty: PenaltyLike
    _penalty: Callable[[], Penalty]  # defined by the estimator

    def _idle_parameters(self) -> list[str]:
        """Parameters that the penalty does not use, or has options of its own for."""
        given = self.penalty
        if isinstance(given, str):
            return _unused(type(self), find("penalties", given))
        penalty = self._penalty()
        options = next(iter(given.values())) if isinstance(given, Mapping) else ()
        fixed = PENALTY_OPTIONS if given is penalty else options
        unused = _unused(type(self), type(penalty))
        return sorted({*unused, *(name for name in fixed if name in _known(type(self)))})

    def _why_idle(self, name: str) -> str:
        """The cause and the remedy."""
        if self._penalty().uses(name):
            return f"penalty is {self.penalty!r}. Set {name} in one place."
        able = [n for n in names("penalties") if find("penalties", n).uses(name)]
        return f"penalty is {self.penalty!r}. Set penalty={'l2' if 'l2' in able else able[0]!r}."


def _known(estimator: type) -> list[str]:
    return [name for name in ("strength", *PENALTY_OPTIONS) if name in defaults_of(estimator)]


def _unused(estimator: type, penalty: type[Penalty]) -> list[str]:
    return [name for name in _known(estimator) if not penalty.uses(name)]
