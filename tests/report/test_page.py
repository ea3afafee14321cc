"""The report is one well-formed page without network requests, and contains every result."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
import studies
import yaml
from markupsafe import escape
from studies import Data, Method

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import write_tuned, write_tuned_table
from linclass_study.files.tables import frame, write_table
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.report.cells import PageCells, reason_words
from linclass_study.report.contents import FIGURES
from linclass_study.report.figure_files import draw_figures, figure_names
from linclass_study.report.page import MAX_CLASSES, page_scripts, report
from linclass_study.report.provenance import (
    configuration,
    data_files,
    foreign_modules,
    snakemake_command,
)
from linclass_study.report.table import Column, make_tables
from linclass_study.report.tables import performance

pytestmark = pytest.mark.xdist_group("page")  # one study for all of them

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr", "col", "source"}
WEIRD = '<b>&"quoted" $x$ {{ 7*1234567 }} ]]> —'


class Page(HTMLParser):
    """Elements, ids, links and text of a page; and what is wrong with its nesting."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.wrong, self.elements, self.text = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        self.wrong += [f"{tag} has {name} twice" for name in names if names.count(name) > 1]
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.wrong.append(f"</{tag}> closes {self.open[-3:]}")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def values(self, attribute):
        return [(tag, a[attribute] or "") for tag, a in self.elements if attribute in a]

    def words(self):
        return " ".join("".join(self.text).split())


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Everything that a study can meet, at once."""
    data = {
        "plane": Data(("no", "yes"), 90, 2),
        f"three {WEIRD}": Data((WEIRD, "b", "_c"), 60, 2),
        "split": Data(("0", "1"), 80, 4, official=30),
        "gone": Data(unavailable=f"no source {WEIRD}: give a mirror"),
    }
    methods = {
        "fine": Method(3.0),
        "scores_only": Method(1.0, probabilities=False),
        f"m {WEIRD}": Method(2.0, endings={1: ("failed", f"raised {WEIRD}")}),
        "dead": Method(everywhere=("out_of_memory", "asked for 9.4 GB, the limit is 4.0 GB")),
        "slow": Method(everywhere=("max_iter", "not within 1e-4 after 100 steps")),
    }
    results = tmp_path_factory.mktemp("study") / "results"
    outcome = studies.build(results, data, methods, folds=4)
    for name in data:
        write_tuned(replace(outcome), name)
    write_tuned_table(replace(outcome))
    return outcome


@pytest.fixture(scope="module")
def text(outcome):
    return studies.finish(outcome, *FIGURES, pictures=True)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def without_scripts(text):
    return re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)


def test_report_is_wellformed_and_its_references_lead_somewhere(text, page, outcome):
    assert text.startswith("<!DOCTYPE html>\n<html lang=")
    assert (page.wrong, page.open) == ([], [])
    assert {"html", "head", "body", "title", "main"} <= {tag for tag, _ in page.elements}
    ids = [value for _, value in page.values("id")]
    assert len(ids) == len(set(ids))
    links = [v for name in ("href", "xlink:href") for _, v in page.values(name)]
    targets = {link[1:] for link in links if link.startswith("#")}
    targets |= {*re.findall(r"url\(#([^)]+)\)", without_scripts(text))}
    assert targets
    assert targets <= set(ids)
    files = [v for tag, v in page.values("href") if tag == "a" and not v.startswith("#")]
    assert files
    assert [file for file in files if not (outcome.results / unquote(file)).exists()] == []


def test_report_makes_no_external_request_and_allows_only_its_scripts(text, page):
    """Their digests are in the policy; other script elements are data, and no attribute is a handler."""
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"link", "iframe", "object", "embed", "base", "form"}
    for attribute in ("src", "srcset", "xlink:href", "data", "poster", "background"):
        for tag, value in page.values(attribute):
            assert value.startswith(("data:", "#")), f"{tag} {attribute}={value[:60]}"
    for tag, value in page.values("href"):
        assert tag == "a" or (tag in ("use", "image") and value.startswith(("#", "data:")))
    markup = without_scripts(text)
    assert "@import" not in markup
    assert all(url.startswith("#") for url in re.findall(r"url\(\s*[\"']?([^)\"']+)", markup))
    assert not [name for _, a in page.elements for name in a if name.startswith("on")]
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", text, flags=re.DOTALL)
    code = [script for attributes, script in scripts if not attributes]
    assert code == page_scripts()
    digests = [hashlib.sha256(script.encode()).digest() for script in code]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "default-src 'none'" in policy
    assert f"script-src {allowed};" in policy
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")
    data = [script for attributes, script in scripts if 'type="application/json"' in attributes]
    assert len(data) == len(scripts) - len(code)
    assert all(json.loads(script) for script in data)


def test_problems_come_first_in_full_and_names_are_text(page, text):
    words = page.words()
    in_order = (
        "5 methods on 4 data sets", "fits of 85 failed", "unavailable gone", "out of memory",
        "The best method of each data set",
    )  # fmt: skip
    places = [words.index(part) for part in in_order]
    assert places == sorted(places)
    for reason in (
        f"no source {WEIRD}: give a mirror",
        f"raised {WEIRD}",
        "asked for 9.4 GB, the limit is 4.0 GB",
        "not within 1e-4 after 100 steps",
        *studies.MACHINE.values(),
        "4 stratified folds",
        "my study.yaml",
        "300 s",
    ):
        assert " ".join(reason.split()) in words
    assert '<b>&"quoted"' not in without_scripts(text)
    assert str(7 * 1234567) not in text


def test_the_configuration_of_the_page_can_be_run_again(tmp_path):
    """Entries of the catalogue by name, others defined; the command quotes a name with a space."""
    lda = read_yaml(ROOT / "config" / "methods.yaml")["lda"]
    mine = {"classifier": "linclass.LogisticRegression", "tune": {"strength": [0.1, 1]}}
    iris = read_yaml(ROOT / "config" / "datasets.yaml")["iris"]
    outcome = Outcome(tmp_path, {"iris": iris}, {"lda": lda, "mine": mine}, {"folds": 3})
    found = yaml.safe_load(configuration(outcome))
    assert (found["datasets"], found["methods"]) == (["iris"], ["lda", "mine"])
    assert found["define"] == {"methods": {"mine": mine}}
    assert snakemake_command(["my study.yaml"]) == "snakemake --configfile 'my study.yaml'"


def test_the_page_names_what_a_study_needs_beside_the_clone(make):
    inner = {"features": 10, "estimator": {"classifier": "mine.Inner"}}  # a number of its own
    methods = {
        "lda": {"classifier": "linclass.LinearDiscriminantAnalysis"},
        "bagged": {
            "classifier": "sklearn.ensemble.BaggingClassifier",
            "params": inner,
            "transforms": ["standardize", "steps.Clipped", {"more.steps.Cut": {}}],
        },
    }
    outcome = make({"d": Data()}, {"lda": Method(), "bagged": Method()})
    source = [{"url": "https://example.org/a.csv"}, {"file": "my.csv"}]
    datasets = {"d": {"source": source, "test": {"file": "later.csv"}, "target": "y"}}
    evaluation = outcome.evaluation | {"metrics": ["costs.harm", "sklearn.metrics.zero_one_loss"]}
    own = replace(outcome, datasets=datasets, methods=methods, evaluation=evaluation)
    assert data_files(own) == ["my.csv", "later.csv"]
    assert sorted(foreign_modules(own)) == ["costs", "mine", "more", "steps"]
    page = Page(studies.finish(replace(outcome, datasets=datasets))).words()
    assert "Also required, at these paths: the data my.csv, later.csv. An archive of" in page
    catalogue = read_yaml(ROOT / "config" / "datasets.yaml")
    assert data_files(replace(outcome, datasets=catalogue)) == []


def test_more_than_two_features_are_cut_by_a_plane_which_is_reported(outcome, text):
    plane, split = (
        studies.numbers_of(outcome, f"boundaries-{name}") for name in ("plane", "split")
    )
    assert plane["title"] == "Decision boundaries on plane"
    assert split["title"] == "Decision boundaries on split on two discriminant directions"
    assert "The data have 4 features; the plane goes through the mean" in split["caption"]
    assert list(split["directions"]) == outcome.about("split")["features"]
    assert str(escape(split["caption"])) in text


def test_same_inputs_give_identical_files(outcome, text):
    def exhibits():
        files = (outcome.results / "exhibits").glob("*-split/*")
        return {str(file): file.read_bytes() for file in files}

    before = exhibits()
    draw_figures(outcome, figure_names()[True], "split")
    assert exhibits() == before
    assert any("/boundaries-split/figure.svg" in name for name in before)
    assert report(outcome, make_tables(outcome), studies.MACHINE, ["my study.yaml"]) == text


def test_a_small_study_is_a_small_page(make):
    outcome = make({"d": Data(features=2)}, {"a": Method(), "b": Method(2.0)}, folds=3)
    page = studies.finish(outcome, *FIGURES)
    assert len(page) - sum(map(len, page_scripts())) < 130_000


def test_a_study_in_which_nothing_succeeded_has_a_report(make):
    outcome = make({"gone": Data(unavailable="no source")}, {"m": Method()})
    words = Page(studies.finish(outcome)).words()
    assert "no method succeeded on every fold" in words
    assert "5 fits of 5 failed" in words


def box(text, kind):
    begin = text.index(f'<details class="{kind}">')
    found = text[begin : text.index("</header>", begin)]
    return Page(found).words()


def test_runs_that_do_not_apply_are_reported_calmly_and_failures_alarm(make):
    cannot = Method(everywhere=("not_applicable", "needs numbers"), only=["e"])
    methods = {"fine": Method(), "cannot": cannot}
    calm = studies.finish(make({"d": Data(), "e": Data()}, methods))
    assert "Excluded: cannot on e (not applicable). Why?" in Page(calm).words()
    assert '<a href="#table-failures">Why?' in calm
    assert 'class="problems' not in calm
    mixed = make({"d": Data(), "e": Data()}, methods | {"dead": Method(everywhere=("failed", "x"))})
    page = studies.finish(mixed)
    problems = box(page, "problems")
    assert problems.startswith(
        "Problems: 10 fits of 30 failed 10 fits of 30 failed, 5 do not apply to their data."
    )
    why = "Why 5 fits do not apply not applicable e × cannot (5 fits) needs numbers"
    assert why in problems
    excluded = "Excluded: dead on d and e (failed), cannot on e (not applicable). Why?"
    assert excluded in Page(page).words()


def test_a_digest_is_begun_on_the_page_and_whole_in_what_is_saved(make):
    outcome = make({"d": Data()}, {"m": Method(), "n": Method()}, folds=2)
    column = Column("digest", "Digest", "digest")
    digest = f"sha256:{'0123456789abcdef' * 4}"
    cells = PageCells(outcome, [])
    drawn = cells.cell(column, digest)
    assert Page(f"<p>{drawn}</p>").words() == "sha256:0123456789ab…"
    assert f'data-v="{digest}"' in drawn  # what the button CSV takes
    assert cells.cell(column, None) == '<td class="t">–</td>'


def test_commands_in_reasons_are_code_and_long_reasons_are_folded(make):
    """In the list of problems, in tables, folded or not, in captions, and where data are unavailable."""
    reason = "begins " + " ".join(f"word{i}" for i in range(300)) + " ends"
    outcome = make({"d": Data()}, {"m": Method(everywhere=("failed", reason)), "n": Method()})
    text = studies.finish(outcome)
    assert text.count(reason) == 1
    (folded,) = re.findall(r'<details class="long">.*?</details>', text, flags=re.DOTALL)
    assert reason in folded
    assert len(box(text, "problems")) < 600
    data = {"d": Data(features=2), "gone": Data(unavailable="`format:` is missing; add `csv`")}
    methods = {
        "good": Method(),
        "bad": Method(everywhere=("failed", "needs `weights=<given>`")),
        "worse": Method(everywhere=("failed", f"{'so ' * 300}give `--long <x>`")),
    }
    text = studies.finish(make(data, methods, folds=2))
    assert "`" not in re.sub(r"<(script|style|pre)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert text.count("<code>weights=&lt;given&gt;</code>") == 2
    assert text.count("<code>--long &lt;x&gt;</code>") == 3  # its table has the beginning, too
    assert "<code>format:</code> is missing; add <code>csv</code>" in text
    assert (
        reason_words("on my_data: newton_cg stopped: raise a_limit=1e-3. See a_b.csv, 'x_1', `c=1`")
        == "on my_data: <code>newton_cg</code> stopped: raise <code>a_limit=1e-3</code>. "
        "See a_b.csv, &#39;x_1&#39;, <code>c=1</code>"
    )


def test_tables_say_whether_cross_validation_divides_official_test_rows(outcome, page):
    assert "over 4 folds of the 80 training rows" in page.words()
    assert "these test rows included" not in page.words()
    evaluation = dict(outcome.evaluation) | {"cv_rows": "all"}
    table = performance.other_protocols(replace(outcome, evaluation=evaluation), "split")
    assert "Cross-validation, above, divides all rows, these test rows included." in table.caption


def test_some_of_many_classes_are_named_and_the_rest_counted(make):
    names = [f"class {k}" for k in range(MAX_CLASSES + 9)]
    outcome = make({"d": Data(classes=names, rows=4 * len(names))}, {"m": Method()}, folds=2)
    shown = " ".join(studies.finish(outcome).split())
    assert f"class {MAX_CLASSES - 1} (4) and 9 more. Source" in shown


def test_a_metric_that_raises_is_among_the_problems_with_its_path(make):
    made = make({"d": Data()}, {"a": Method(), "b": Method(0.5)}, folds=2)
    metric = "sklearn.metrics.zero_one_loss"
    failures = frame("metric_failures", [("d", "a", "cv", 0, 1, metric, "ValueError: 5 < 6")])
    path = made.results / "runs" / "d" / "a" / "metric_failures.parquet"
    write_table(failures, "metric_failures", path)
    page = studies.finish(replace(made, evaluation=made.evaluation | {"metrics": [metric]}))
    problems = box(page, "problems")
    for words in (metric, "(1 fold)", "ValueError: 5 < 6"):
        assert words in problems
