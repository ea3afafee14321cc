"""Laws over many cases run as one test, which names every case that does not obey."""

import functools
import inspect
import itertools

import pytest


def each(names, cases, ids=None):
    """Like `pytest.mark.parametrize`, but one test goes through all cases and reports those that fail.

    Fixtures of a function are made once for all cases.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    axis = [(_values(names, case), _label(names, case, ids, i)) for i, case in enumerate(cases)]

    def decorate(test):
        axes = [axis, *getattr(test, "axes", [])]
        law = getattr(test, "law", test)

        @functools.wraps(test)
        def loop(**fixtures):
            failed, skipped, n_cases = [], [], 0
            for combination in itertools.product(*axes):
                n_cases += 1
                values = {k: v for case, _ in combination for k, v in case.items()}
                try:
                    law(**fixtures, **values)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((", ".join(label for _, label in combination), error))
            if failed:
                lines = [f"{label}: {type(e).__name__}: {_short(e)}" for label, e in failed]
                count = f"{len(failed)} of {n_cases} cases fail"
                raise AssertionError("\n  ".join([count, *lines])) from failed[0][1]
            if len(skipped) == n_cases > 0:
                raise skipped[0]

        loop.axes, loop.law = axes, law
        signature = inspect.signature(test)
        kept = [p for p in signature.parameters.values() if p.name not in names]
        loop.__signature__ = signature.replace(parameters=kept)
        return loop

    return decorate


def _values(names, case):
    values = getattr(case, "values", None) if type(case).__name__ == "ParameterSet" else case
    return dict(zip(names, [values] if values is case and len(names) == 1 else values, strict=True))


def _label(names, case, ids, i):
    if getattr(case, "id", None) and type(case).__name__ == "ParameterSet":
        return str(case.id)
    if ids is not None:
        return str(ids(case) if callable(ids) else list(ids)[i])
    return ", ".join(f"{name}={value!r:.60}" for name, value in _values(names, case).items())


def _short(error):
    return (str(error).splitlines() or [""])[0][:160]
