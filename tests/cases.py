"""Laws over many cases run as one test, which names every case that does not obey."""

import functools
import inspect
import itertools
import tracemalloc

import pytest

FULL = pytest.mark.full
EXTENTS = ["quick", pytest.param("full", marks=FULL)]


def each(names, cases, ids=None, quick=None):
    """Like `pytest.mark.parametrize`, but one test goes through all cases and reports those that fail.

    Fixtures of a function are made once for all cases. Where `quick` is a number, the test goes through so many
    cases, evenly spaced, and where cases are marked `full` through the others; a second test, marked `full`,
    goes through those that are left.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    step = len(cases) / min(quick or len(cases), len(cases)) if cases else 1
    few = {int(i * step) for i in range(quick or len(cases))}
    few -= (marked := {i for i, case in enumerate(cases) if _is_set(case) and case.marks})
    axis = [
        (_values(names, case), _label(names, case, ids, i), i in few)
        for i, case in enumerate(cases)
    ]

    def decorate(test):
        axes = [axis, *getattr(test, "axes", [])]
        law = getattr(test, "law", test)

        @functools.wraps(test)
        def loop(extent=None, **fixtures):
            failed, skipped, n_cases = [], [], 0
            for combination in itertools.product(*axes):
                if extent and (extent == "quick") != all(quick for *_, quick in combination):
                    continue
                n_cases += 1
                values = {k: v for case, *_ in combination for k, v in case.items()}
                try:
                    law(**fixtures, **values)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((", ".join(label for _, label, _ in combination), error))
            if failed:
                lines = [f"{label}: {type(e).__name__}: {_short(e)}" for label, e in failed]
                count = f"{len(failed)} of {n_cases} cases fail"
                raise AssertionError("\n  ".join([count, *lines])) from failed[0][1]
            if len(skipped) == n_cases > 0:
                raise skipped[0]

        loop.axes, loop.law = axes, law
        signature = inspect.signature(test)
        kept = [p for p in signature.parameters.values() if p.name not in names]
        if (quick or marked) and "extent" not in signature.parameters:
            kept.append(inspect.Parameter("extent", inspect.Parameter.KEYWORD_ONLY))
            loop = pytest.mark.parametrize("extent", EXTENTS)(loop)
        loop.__signature__ = signature.replace(parameters=kept)
        return loop

    return decorate


def first(n, cases):
    """The cases of a `pytest.mark.parametrize`; all but the first n are marked `full`."""
    return [
        case if i < n else pytest.param(*(case if type(case) is tuple else [case]), marks=FULL)
        for i, case in enumerate(cases)
    ]


def with_peak_memory(call):
    """What `call()` returns, and the most bytes that Python held for it at once."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _is_set(case):
    """Whether a case is a `pytest.param`."""
    return type(case).__name__ == "ParameterSet"


def _values(names, case):
    values = case.values if _is_set(case) else [case] if len(names) == 1 else case
    return dict(zip(names, values, strict=True))


def _label(names, case, ids, i):
    if _is_set(case) and case.id:
        return str(case.id)
    if ids is not None:
        return str(ids(case) if callable(ids) else list(ids)[i])
    return ", ".join(f"{name}={value!r:.60}" for name, value in _values(names, case).items())


def _short(error):
    return (str(error).splitlines() or [""])[0][:160]
