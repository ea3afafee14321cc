"""Results of 0.1, kept as they were published: later versions read them, or refuse them in one line."""

import json
from pathlib import Path

import pytest

from linclass_study import load_results
from linclass_study.analysis.study_file import FORMAT
from linclass_study.errors import StudyError

ARCHIVE = Path(__file__).parent / "results_of_0.1.zip"  # iris × (majority, lda, logistic), 3 folds


def test_results_of_0_1_are_merged_compared_and_read(linclass, tmp_path):
    merged = tmp_path / "merged"
    assert linclass("verify", ARCHIVE, ARCHIVE).code == 0
    assert linclass("merge", ARCHIVE, "--into", merged).code == 0
    assert linclass("verify", merged, ARCHIVE).code == 0
    results = load_results(merged)
    assert set(results.fits["status"]) == {"converged"}
    assert results.fits.height == 9
    assert results.predictions.collect().height == 450
    assert results.coefficients.collect().height == 3 * 3 * 3 * 5  # fits, classes, features and 1
    of_lda = results.predictions.filter(method="lda").collect()
    accuracy = results.scores.filter(metric="accuracy", method="lda")["value"].mean()
    assert accuracy == pytest.approx((of_lda["y_true"] == of_lda["y_pred"]).mean())
    assert set(results.table("summary")["method"]) == {"majority", "lda", "logistic"}


def test_results_of_a_later_format_are_refused_in_one_line(linclass, a, b, tmp_path):
    study = json.loads((a / "study.json").read_text())
    assert study["format"] == FORMAT
    (a / "study.json").write_text(json.dumps(study | {"format": FORMAT + 1}))
    said = f"study.json: these results have format {FORMAT + 1}, and this linclass"
    for command in (["merge", a, b, "--into", tmp_path / "c"], ["verify", a, b], ["figures", a]):
        output = linclass(*command)
        assert output.code
        assert len(output.errors) == 1
        assert said in output.errors[0]
    with pytest.raises(StudyError, match=said):
        load_results(a)
