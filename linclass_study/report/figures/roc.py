"""ROC curves of a few methods on one data set: mean and standard deviation over folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linclass_study.report import fold_curves, mean_curves
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.mean_curves import draw_mean_curves

if TYPE_CHECKING:
    from linclass_study.analysis.outcome import Outcome

PLACE, PER_DATASET, SECTION = 3, True, "dataset"


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    return draw_mean_curves(
        outcome,
        dataset,
        mean_curves.Kind(
            title=f"ROC curves on {dataset}",
            area="AUC",
            x="false positive rate",
            y="true positive rate",
            curve=fold_curves.roc,
            chance=lambda share: (0.0, 1.0),
            sentence_on_chance="The dashed line is chance.",
        ),
    )
