"""python tests/report/large_study.py RESULTS: made-up scores of 100 methods on 200 data sets, their report, its speed.

Nothing is fitted or predicted: scores, fits and what is known of the data are drawn at random, and the tables,
figures and page are made of them by what the workflow's jobs call.
"""

import argparse
import json
import shutil
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl
from browsing import open_chromium, settle

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.pairs import bradley_terry
from linclass_study.analysis.aggregate import write_across
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import write_summary
from linclass_study.analysis.tuned_values import write_tuned, write_tuned_table
from linclass_study.files import tables as table_files
from linclass_study.files.tables import table_schema, write_table
from linclass_study.report import page
from linclass_study.report.figure_files import draw_figures, figure_names
from linclass_study.report.table import make_tables

ENDINGS = ["converged", "max_iter", "failed"]
REASONS = {"max_iter": "not within 1e-4 after 100 steps", "failed": "raised ValueError: made up"}


def build(results, methods=100, datasets=200, folds=10):
    """A results folder as the workflow leaves it before its figures."""
    names = [f"method_{i:03}" for i in range(methods)]
    outcome = Outcome(
        results=results,
        datasets={f"data_{i:03}": {"source": {"file": f"{i}.csv"}} for i in range(datasets)},
        methods={name: {"classifier": f"made_up.{name}"} for name in names},
        evaluation={
            "protocols": ["cv", "official"], "folds": folds, "repeats": 1, "inner_folds": 3,
            "tune_metric": "accuracy", "tune_rule": "best", "rope": 0.01, "seed": 1,
        },
        limits={"fit_seconds": 300, "fit_memory_mb": 4000},
    )  # fmt: skip
    skill = np.random.default_rng(0).normal(0.7, 0.3, size=methods)
    written = [_write(outcome, name, seed, skill) for seed, name in enumerate(outcome.datasets)]
    empty = pl.lit(None, pl.String)  # as of data sets that share no rows and count in comparisons
    shares = pl.DataFrame({"dataset": list(outcome.datasets)}).with_columns(
        shares_rows_with=empty, apart=empty
    )
    (results / "tables").mkdir()
    shares.write_csv(results / "tables" / "datasets.csv")
    write_summary(results, *zip(*written, strict=True))
    for name in outcome.datasets:
        write_tuned(replace(outcome, part=name), name)
    write_tuned_table(outcome)
    return outcome


def report(outcome):
    """Figures, tables and page; what each took in seconds of the processor."""
    seconds = {}

    def clocked(name, step):
        begun = time.process_time()
        made = step()
        seconds[name] = time.process_time() - begun
        return made

    quick = partial(bradley_terry, draws=20)  # intervals of made-up scores need no better
    with mock.patch("linclass_study.analysis.across_datasets.bradley_terry", quick):
        clocked("across", lambda: write_across(outcome))
        clocked("figures", lambda: _draw(outcome))
    made = clocked("tables", lambda: make_tables(outcome))
    machine, files = {"Python": "3"}, ["large.yaml"]
    text = clocked("page", lambda: page.report(outcome, made, machine, files))
    (outcome.results / "report.html").write_text(text, encoding="utf-8")
    return seconds


def _draw(outcome):
    """Those over all data sets, those of the first data set, and for the others copies of these."""
    folder, (first, *others) = outcome.results / "exhibits", outcome.datasets
    own = replace(outcome.parts()[first], datasets={first: outcome.datasets[first]}, part=first)
    names = figure_names()
    draw_figures(outcome, names[False])
    draw_figures(own, names[True], first)
    for drawn in folder.glob(f"*-{first}"):
        for other in others:
            shutil.copytree(drawn, folder / f"{drawn.name.removesuffix(first)}{other}")


def _write(outcome, dataset, seed, skill):
    """scores/{dataset}.parquet, fits/{dataset}.parquet, and what is known of the data."""
    random = np.random.default_rng(seed + 1)
    folds, names = outcome.evaluation["folds"], sorted(metrics.names())
    runs = len(skill) * folds
    hard = random.normal(size=(1, folds)) / 3
    quality = skill[:, None] + random.normal(size=(len(skill), 1)) / 4 + hard
    values = 2 * quality.reshape(-1, 1) + random.normal(size=(runs, len(names))) / 3
    ending = random.choice(len(ENDINGS), p=[0.97, 0.02, 0.01], size=runs)
    key = {
        "dataset": [dataset] * runs, "method": np.repeat(list(outcome.methods), folds),
        "protocol": ["cv"] * runs, "repeat": [0] * runs, "fold": np.tile(np.arange(folds), len(skill)),
    }  # fmt: skip
    status = [ENDINGS[code] for code in ending]
    measured = {
        "fit_seconds": random.lognormal(-5, 1, runs), "predict_seconds": 0.001, "iterations": 12,
        "objective": 0.5, "certificate": 1e-8, "certificate_kind": "duality_gap", "peak_rss_mb": 120.0,
    }  # fmt: skip
    done = pl.Series(ending < 2)
    keys = pl.DataFrame(key)
    fits = keys.with_columns(
        status=pl.Series(status),
        reason=pl.Series([REASONS.get(one, "") for one in status]),
        params=pl.lit("{}"),
        n_train=pl.lit(900),
        n_test=pl.lit(100),
        seed=pl.lit(1),
        **{name: pl.when(done).then(pl.lit(value)) for name, value in measured.items()},
    )
    fits = fits.with_columns(
        pl.lit(None).alias(name) for name in table_schema("fits") if name not in fits.columns
    )
    scores = (
        keys[np.repeat(np.arange(runs), len(names))]
        .with_columns(
            metric=pl.Series(names * runs), value=pl.Series(1 / (1 + np.exp(-values.ravel())))
        )
        .filter(pl.Series(np.repeat(done.to_numpy(), len(names))))
    )
    about = {
        "status": "ok", "rows": 1000, "n_features": 20, "classes": ["no", "yes"], "class_counts": [500, 500],
        "positive": "yes", "source": f"file {dataset}.csv", "digest": "sha256:0", "test_rows": 0, "sparse": False,
    }  # fmt: skip
    path = outcome.results / "data" / f"{dataset}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(about), encoding="utf-8")
    paths = {name: outcome.results / name / f"{dataset}.parquet" for name in ("scores", "fits")}
    write_table(scores.sort(*table_files.FIT, "metric"), "scores", paths["scores"])
    write_table(fits.sort(*table_files.FIT), "fits", paths["fits"])
    return paths["scores"], paths["fits"]


def measure(path, sorts=8):
    """Seconds to open a page; then of scripts and of all work of its thread: to open it, and for the longest sort."""

    def spent():
        reported = session.send("Performance.getMetrics")["metrics"]
        known = {one["name"]: one["value"] for one in reported}
        return np.array([known["ScriptDuration"], known["TaskDuration"]])

    with open_chromium() as open_page:
        page = open_page(path).context.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # without other processes
        begun = time.perf_counter()
        page.goto(path.resolve().as_uri())
        settle(page)
        opened, at_open = time.perf_counter() - begun, spent()
        table = page.locator("table:has(thead button)").first
        table.scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        longest = np.zeros(2)
        for heading in table.locator("thead button").all()[:sorts]:
            before = spent()
            heading.evaluate("heading => heading.click()")
            settle(page)
            longest = np.maximum(longest, spent() - before)
    return opened, at_open, longest


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument(
        "path", type=Path, help="new results folder, or a page that is only measured"
    )
    parser.add_argument("--methods", type=int, default=100)
    parser.add_argument("--datasets", type=int, default=200)
    parser.add_argument("--folds", type=int, default=10)
    given = parser.parse_args()
    path = given.path
    if path.suffix != ".html":
        seconds = report(build(path, given.methods, given.datasets, given.folds))
        print(", ".join(f"{name} {taken:.1f} s" for name, taken in seconds.items()))
        path /= "report.html"
    opened, at_open, longest = measure(path)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, open after {opened:.2f} s")
    for what, (scripts, thread) in (("opening", at_open), ("longest sort", longest)):
        print(f"{what}: {scripts:.3f} s of scripts, {thread:.3f} s of all work of the page")
