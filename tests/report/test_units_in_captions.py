"""Captions mention folds, hold-outs or a single fit according to the protocol."""

from dataclasses import replace
from html import unescape

import polars as pl
import pytest
from studies import Data, Method, finish

from linclass_study.analysis.aggregate import write_across
from linclass_study.analysis.sentences import certainty
from linclass_study.analysis.verdict import dataset_verdict
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table
from linclass_study.report.cells import with_code
from linclass_study.report.contents import FIGURES, TABLES
from linclass_study.report.figures import coefficients, probabilities

FOLDS = 4
HOLD_OUTS = [{"hold_out": {"test_share": 0.25, "repeats": FOLDS}}]
SHOWN = ("roc", "precision_recall", "calibration", "probabilities", "coefficients")
SHOWN_TABLES = ("confusion", "per_class", "coefficients")
WEIGHT = {"class": 1, "value": 1.0, "scale": 2.0, "features": 2}


def of_protocol(made, protocols, protocol):
    """The same results under another protocol: its fits are repeats, or the first fold alone."""
    folder = made.results
    several = protocol == "hold_out"
    for table in ("predictions", "scores", "fits", "coefficients"):
        for path in [*folder.rglob(f"{table}.parquet"), *folder.glob(f"{table}/*.parquet")]:
            rows = pl.read_parquet(path).filter(protocol="cv")
            rows = rows if several else rows.filter(fold=0)
            repeat = pl.col("fold").cast(rows.schema["repeat"]) if several else pl.col("repeat")
            rows = rows.with_columns(
                protocol=pl.lit(protocol), repeat=repeat, fold=pl.col("fold") * 0
            )
            write_table(table_files.frame(table, rows.to_dict()), table, path)
    return replace(made, evaluation=made.evaluation | {"protocols": protocols})


@pytest.fixture
def outcome(make):
    made = make({"d": Data(official=20)}, {"m": Method(2.0), "other": Method(1.0)}, folds=FOLDS)
    for fold in range(FOLDS):
        identity = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0, "fold": fold}
        names = ("x0", "x1") if fold else ("x0",)
        rows = [identity | WEIGHT | {"feature": name} for name in names]
        path = made.results / "runs" / "d" / "m" / "coefficients.parquet"
        before = [pl.read_parquet(path)] if fold else []
        write_table(
            pl.concat([*before, table_files.frame("coefficients", rows)]), "coefficients", path
        )
    return made


def captions(outcome):
    finish(outcome, *FIGURES)
    found = {name: FIGURES[name](outcome, "d").caption for name in SHOWN}
    return found | {f"table {name}": TABLES[name](outcome, "d").caption for name in SHOWN_TABLES}


def test_captions_of_hold_out_results_do_not_mention_folds(outcome):
    for name, caption in captions(of_protocol(outcome, HOLD_OUTS, "hold_out")).items():
        assert "hold-outs" in caption, name
        assert "fold" not in caption, name


def test_captions_of_single_fits_do_not_mention_a_spread(outcome):
    for name, caption in captions(of_protocol(outcome, ["official"], "official")).items():
        assert "fold" not in caption, name
        assert "hold-out" not in caption, name
        assert "±" not in caption, name
        assert "means over" not in caption, name


def test_the_error_of_one_fit_is_that_of_its_rows(outcome):
    official = of_protocol(outcome, ["official"], "official")
    assert (
        "mean distance of the rows from the diagonal"
        in probabilities.calibration(official, "d").caption
    )
    assert "Large marks" not in coefficients.coefficients(official, "d").caption


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.full)])
def test_the_page_on_few_data_sets_gives_the_confidence_for_each(make, n):
    """The answer says that they are too few; the lines below it do not repeat that."""
    outcome = make(
        {f"d{i}": Data() for i in range(n)}, {"m": Method(2.0), "other": Method(1.0)}, folds=3
    )
    write_across(outcome)
    page = unescape(finish(outcome, *FIGURES))
    assert f"{n} independent data sets are too few to rank methods" in page
    for name, own in outcome.parts().items():
        sentence = unescape(str(with_code(certainty(dataset_verdict(own, name)))))
        assert page.count(sentence) == 1
