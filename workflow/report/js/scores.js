// All methods on all data sets, by the page's metric: means and standard deviations over the folds.

function scoreCell(d, m, best) {
  const mean = meanOf(d, m), part = study.partial[metric().name]?.[`${d},${m}`];
  if (mean === null && part === undefined) return h("td", { "data-text": "" }, "–");
  if (mean === null) return h("td", { class: "partial", "data-v": part }, fixed(part));
  const spread = spreadOf(d, m), first = Math.abs(mean - best) <= TIE;
  return h("td", { class: first ? "best" : null, "data-v": mean }, first ? h("b", {}, fixed(mean)) : fixed(mean), spread === null ? null : h("i", {}, ` ± ${fixed(spread)}`));
}

function drawScores() {
  const host = document.getElementById("scores-view"), by = metric();
  if (!host) return;
  const shown = d3.range(datasets.length).filter((d) => !datasets[d].unavailable);
  const best = new Map(shown.map((d) => [d, (by.greater ? d3.max : d3.min)(d3.range(methods.length), (m) => meanOf(d, m))]));
  const box = h("div", { class: `tabled${methods.length > 30 ? " long" : ""}`, id: "table-scores", "data-ready": "yes" },
    h("h3", {}, `All methods on all data sets, by ${by.words}`),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "method" }, "Method"), shown.map((d) => h("th", { scope: "col", class: "number" }, label(datasets[d]))))),
      h("tbody", {}, order().map((m) => h("tr", {}, h("th", { scope: "row" }, methodName(m)), shown.map((d) => scoreCell(d, m, best.get(d)))))))),
    h("p", { class: "caption" }, "Mean ± standard deviation over the folds. Underlined: the best of a column. Grey: a mean over some folds only, which does not compete."));
  host.replaceChildren(box);
  new Interactive(box);
}

part(["metric"], drawScores);
