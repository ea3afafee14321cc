// All methods on all data sets, by the page's metric: means and standard deviations over the folds.

function drawScores() {
  const host = document.getElementById("scores-view"), by = metric();
  if (!host) return;
  const shown = d3.range(datasets.length).filter((d) => !datasets[d].unavailable);
  const best = new Map(shown.map((d) => [d, (by.greater ? d3.max : d3.min)(d3.range(methods.length), (m) => meanOf(d, m))]));
  const box = h("div", { class: `tabled${methods.length > 30 ? " long" : ""}`, id: "table-scores", "data-ready": "yes" },
    h("h3", {}, `All methods on all data sets, by ${by.words}`),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "method" }, "Method"), shown.map((d) => h("th", { scope: "col", class: "number" }, label(datasets[d]))))),
      h("tbody", {}, order().map((m) => h("tr", {}, h("th", { scope: "row" }, methodName(m)), shown.map((d) => scoreCell(d, m, by, best.get(d)))))))),
    h("p", { class: "caption" }, "Mean ± standard deviation over the folds. Underlined: the best of a column, before rounding. Grey: a mean over some folds only, which does not compete."));
  host.replaceChildren(box);
  new Interactive(box);
}

part(["metric"], drawScores, document.getElementById("scores-view"));
