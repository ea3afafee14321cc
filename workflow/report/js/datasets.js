// The browser of data sets: a list, and the selected one beside it. Its figures and tables are those of the plain
// sequence: the tab that is shown borrows them, and they return to their places when it closes and for print.

const FIRST_NAMED = 4; // methods that share the first place
const FEW = 12; // data sets, beyond which a reader can filter them
const SPREAD = { width: 92, height: 14 }, GAP = { width: 136, height: 22 }, DURATION = { width: 38, height: 22 };
const ALPHA = 0.05; // below which a corrected p is significant
const SMALLEST = 1.25; // pixels of a point of a figure, below which its letters are too small
const CLOSE = UNIT / 2; // means of rounded scores that differ by less may be equal
const ENDINGS = {
  max_iter: "at the iteration limit", separable: "separable", rank_deficient: "rank deficient", failed: "failed",
  not_applicable: "not applicable", unavailable: "without data", timeout: "took too long", out_of_memory: "ran out of memory",
};
const TABS = {
  table: "Methods", planes: "Boundaries", boundaries: "Boundaries", methods: "Folds", roc: "ROC", precision_recall: "Precision–recall",
  calibration: "Reliability", probabilities: "Probabilities", confusion: "Confusion", coefficients: "Coefficients", paths: "Paths",
  learning_curves: "Learning curves", convergence: "Convergence", tables: "Tables", rows: "Data checks",
};

// ---- methods on a data set

// Methods with a score of every fold, best first; equal ones in the study's order.
const rankings = new Map();
function ranking(d, by = metric()) {
  const key = `${by.name} ${d}`;
  if (!rankings.has(key)) {
    const sign = by.greater ? -1 : 1;
    const known = d3.range(methods.length).filter((m) => meanOf(d, m, by) !== null);
    const groups = [];
    let before = null;
    for (const m of d3.sort(known, (m) => sign * meanOf(d, m, by))) {
      const mean = meanOf(d, m, by);
      if (before !== null && Math.abs(mean - before) < CLOSE) groups.at(-1).push(m); else groups.push([m]);
      before = mean;
    }
    let place = 1;
    const places = new Map();
    for (const group of groups) { for (const m of group.sort((a, b) => a - b)) places.set(m, place); place += group.length; }
    rankings.set(key, { methods: groups.flat(), places });
  }
  return rankings.get(key);
}

const bestOn = (d, by = metric()) => ranking(d, by).methods[0] ?? null;

// Two-sided p of Student's t with whole degrees of freedom: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4.
function studentP(t, freedom) {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom)), cosine = Math.cos(angle);
  const odd = freedom % 2;
  let term = odd ? cosine : 1, sum = freedom === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < freedom; k += 2) { term *= ((k - 1) / k) * cosine ** 2; sum += term; }
  const within = Math.sin(angle) * sum;
  return 1 - (odd ? (2 / Math.PI) * (angle + within) : within);
}

// p-values after Holm's correction.
function holm(values) {
  const adjusted = [];
  let most = 0;
  d3.sort(d3.range(values.length), (i) => values[i]).forEach((i, k) => {
    most = Math.max(most, Math.min(1, values[i] * (values.length - k)));
    adjusted[i] = most;
  });
  return adjusted;
}

// Each method's difference to the best of a data set, with its p after Holm's correction over the methods.
function behindBest(d, by = metric()) {
  const [best, ...others] = ranking(d, by).methods;
  const found = new Map();
  const each = others.map((m) => paired(d, m, best, by));
  const n = datasets[d].folds;
  const p = n > 1 ? holm(each.map(({ difference, high }) => studentP((difference * study.t[n - 2]) / (high - difference || Infinity), n - 1))) : [];
  others.forEach((m, i) => found.set(m, { ...each[i], p: p[i] }));
  return found;
}

// "10/10 at the iteration limit"; nothing if every fit converged.
function endingsOf(counts) {
  const all = d3.sum(Object.values(counts));
  return Object.entries(counts).filter(([status]) => status !== "converged").map(([status, n]) => `${n}/${all} ${ENDINGS[status] ?? status}`);
}

// "2/10 highest strength", a value at the end of its grid.
function gridEnds(d, m) {
  return Object.entries(study.tuned[d][m]).flatMap(([parameter, values]) => ["lowest", "highest"].flatMap((end) => {
    const n = d3.sum(values, ([, times, at]) => (at === end ? times : 0));
    return n ? [`${n}/${d3.sum(values, ([, times]) => times)} ${end} ${parameter}`] : [];
  }));
}

const notesOn = (d, m) => [...endingsOf(study.fits[d][m]), ...gridEnds(d, m)].flatMap((note, i) => [i ? ", " : null, h("span", {}, note)]);

// ---- drawn cells

// A scale of scores on which better is to the right; beyond its ends marks lie at them.
function scoreScale(values, by, width) {
  const sorted = d3.sort(values);
  const [low, high] = by.greater ? [d3.quantile(sorted, 0.02), sorted.at(-1)] : [sorted[0], d3.quantile(sorted, 0.98)];
  const pad = (high - low || 1e-3) * 0.02;
  return d3.scaleLinear(by.greater ? [low - pad, high + pad] : [high + pad, low - pad], [2, width - 2]).clamp(true);
}

// A line for the score of each method on a data set, in one path, and the marked one in its colour.
function spreadStrip(d, x, by, marked, fill = colour(marked), box = SPREAD) {
  const known = ranking(d, by).methods;
  const middle = box.height / 2;
  return s("svg", { width: box.width, height: box.height, class: "spread beside", "aria-hidden": "true" },
    s("line", { class: "base", x1: 0, x2: box.width, y1: middle, y2: middle }),
    s("path", { class: "rug", d: known.map((m) => `M${x(meanOf(d, m, by)).toFixed(1)} ${middle - 4}v8`).join("") }),
    marked === null || meanOf(d, marked, by) === null ? [] : [s("circle", { cx: x(meanOf(d, marked, by)), cy: middle, r: 4, fill })]);
}

// The scale of differences to the best: most intervals fit, and 0 is within.
function gapScale(each) {
  const lows = each.map(({ low, difference }) => low ?? difference), highs = each.map(({ high, difference }) => high ?? difference);
  const low = Math.min(d3.quantile(lows, 0.1) ?? 0, 0), high = Math.max(d3.max(highs) ?? 0, 0);
  const pad = (high - low || 1e-3) * 0.04;
  return d3.scaleLinear([low - pad, high + pad], [4, GAP.width - 4]);
}

// 0, and what has room beside it.
function gapTicks(x) {
  const kept = [];
  for (const tick of d3.sort(x.ticks(5), Math.abs)) if (kept.every((other) => Math.abs(x(tick) - x(other)) > 38)) kept.push(tick);
  return kept;
}

// A difference as a dot and its interval as a line, relative to a line at 0; a triangle points to what is beyond.
function gapDrawing(gap, x) {
  const zero = s("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: GAP.height });
  const box = { width: GAP.width, height: GAP.height, class: "beside", "aria-hidden": "true" };
  if (!gap) return s("svg", box, zero);
  const y = GAP.height / 2, [left, right] = x.range();
  const kept = (value) => Math.max(left, Math.min(right, x(value)));
  const outside = x(gap.difference) < left ? `M${left - 4} ${y}l7 -4v8Z` : x(gap.difference) > right ? `M${right + 4} ${y}l-7 -4v8Z` : "";
  return s("svg", box, zero,
    gap.low === undefined || x(gap.high) < left ? [] : [s("line", { class: "interval", x1: kept(gap.low), x2: kept(gap.high), y1: y, y2: y })],
    outside ? s("path", { class: "own", d: outside }) : s("circle", { class: "own", cx: x(gap.difference), cy: y, r: 4 }));
}

// A method's difference to the best one in numbers and as a drawing.
function gapCell(gap, x, best) {
  if (!gap) return cell({ class: "drawn", "data-v": best ? 0 : null, "data-text": best ? "0" : null }, best ? "best" : "–", gapDrawing(null, x));
  const clear = gap.p !== undefined && gap.p < ALPHA;
  return cell({ class: `drawn${clear ? " clear" : ""}`, "data-v": gap.difference, "data-tip": gap.p === undefined ? null : `${pWords(gap.p)} after Holm’s correction` },
    clear ? h("b", {}, signed(gap.difference)) : signed(gap.difference), gap.low === undefined ? null : h("i", {}, ` ${between(gap)}`), gapDrawing(gap, x));
}

// A mean and its standard deviation over the folds; the best is underlined.
function scoreCell(d, m, by, best = NaN, drawing = null) {
  const mean = meanOf(d, m, by), first = Math.abs(mean - best) <= TIE;
  if (mean !== null) return cell({ class: `drawn${first ? " best" : ""}`, "data-v": mean }, first ? h("b", {}, fixed(mean)) : fixed(mean), spreadOf(d, m, by) === null ? null : h("i", {}, ` ± ${fixed(spreadOf(d, m, by))}`), drawing);
  const some = study.partial[by.name][`${d},${m}`];
  return some === undefined ? cell({ class: "drawn" }, "–", drawing) : cell({ class: "drawn partial", "data-v": some, "data-tip": "the mean of the folds that have a score" }, fixed(some), drawing);
}

function durationCell(micro, x, middle) {
  if (micro === null) return cell({ "data-v": 1e18, "data-text": "" }, "–");
  return cell({ class: "drawn", "data-v": micro, "data-text": micro * MICROSECOND },
    h("span", { class: "lasting", style: `width: ${DURATION.width}px` }, h("i", { style: `width: ${x(micro)}px` }),
      middle ? h("u", { style: `left: ${x(middle)}px`, "data-tip": `${seconds(middle)}: the median of all methods` }) : null),
    h("span", { class: "seconds" }, seconds(micro)));
}

const durationScale = (times) => d3.scaleLog([Math.max(1, d3.min(times) ?? 1) / 2, Math.max(2, d3.max(times) ?? 2)], [1, DURATION.width - 1]).clamp(true);
const timesOn = (d) => study.seconds[d].filter((micro) => micro !== null);

// A table of a view, which a reader can sort, filter and save.
function viewTable(id, title, heads, rows, caption, level = "h4") {
  const box = h("div", { class: `tabled${rows.length > SHOWN ? " long" : ""}`, id: `table-${id}`, "data-ready": "yes" },
    h(level, {}, title),
    h("div", { class: "scroll" }, h("table", { class: "leaderboard" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))),
    caption && h("p", { class: "caption" }, caption));
  new Interactive(box);
  return box;
}

const gapHead = (title, x, about) => h("th", { scope: "col", class: "number", title: `${about} with its 95 % interval, negative if worse; bold: significant after Holm’s correction over the methods` },
  title, axis(GAP, x, gapTicks(x), (tick) => signed(tick, 2).replace(/\.?0+$/, "") || "0"), how(INTERVALS));

// What intervals and bold numbers of differences to the best method are.
const GAPS = "Differences are negative where a method is worse than the best. Lines and brackets: 95 % intervals of the paired differences, which allow for overlapping training sets (Nadeau and Bengio, 2003), each of one comparison alone. Bold: significant after Holm’s correction for all comparisons, so chance can explain an interval without 0 that is not bold.";
const UNROUNDED = "Places are by means before rounding, so equal numbers can have different places; ties have the first of their places here, and the mean of them in mean ranks.";

const notesHead = () => h("th", { scope: "col", class: "text", title: "Fits that did not simply converge, and folds for which tuning chose an end of a grid" }, "Notes (fits)");

function methodsOn(d, by) {
  const { methods: ranked, places } = ranking(d, by);
  const gaps = behindBest(d, by), best = ranked[0] ?? null;
  const x = gapScale([...gaps].filter(([m]) => !study.baseline.includes(m)).map(([, gap]) => gap));
  const time = durationScale(timesOn(d));
  const others = d3.range(methods.length).filter((m) => !places.has(m));
  const heads = [
    h("th", { scope: "col", class: "method" }, "Method"),
    h("th", { scope: "col", class: `number${by.greater ? "" : " up"}` }, by.title),
    gapHead(best === null ? "To the best" : `Against ${label(methods[best])}`, x, "Paired difference to the best method"),
    h("th", { scope: "col", class: "seconds up", title: "Median time of a fit, on a logarithmic scale" }, "Fit time"),
    notesHead(),
  ];
  const row = (m) => h("tr", { class: [study.focus.includes(m) && "pinned", !places.has(m) && "faint"].filter(Boolean).join(" ") || null, style: `--own: ${colour(m)}` },
    h("th", { scope: "row" }, h("span", { class: "place" }, places.get(m) ?? ""), methodName(m)),
    scoreCell(d, m, by), gapCell(gaps.get(m), x, m === best), durationCell(study.seconds[d][m], time),
    cell({ class: "t notes" }, notesOn(d, m)));
  const tied = d3.pairs(ranked).some(([m, other]) => places.get(m) !== places.get(other) && fixed(meanOf(d, m, by)) === fixed(meanOf(d, other, by)));
  const caption = `Mean and standard deviation over ${datasets[d].over}. ${tied ? `${UNROUNDED} ` : ""}${GAPS} A difference that is equal in all folds has the interval of rounding by one row. A triangle marks a difference beyond the axis. Notes: how many fits did not simply converge, and for how many tuning chose the lowest or highest of the values that it tries.`;
  return viewTable("browser", `Methods on ${label(datasets[d])} by ${by.words}`, heads, [...ranked, ...others].map(row), caption);
}

// ---- figures and tables of the plain sequence

const borrowed = new Map(); // a node → the comment that keeps its place

function borrow(node) {
  const mark = document.createComment("");
  node.replaceWith(mark);
  borrowed.set(node, mark);
  return node;
}

function giveBack() {
  for (const [node, mark] of borrowed) mark.replaceWith(node);
  for (const [node] of borrowed) for (const svg of node.querySelectorAll("svg[data-columns]")) foldColumns(svg, Infinity);
  borrowed.clear();
}

function plainSection(d) {
  const section = document.getElementById(datasets[d].anchor).closest("section");
  if (section.querySelector("noscript")) unfold(section);
  return section;
}

// The decision boundaries of all methods, best first.
function planesOf(plane) {
  const shown = [...new Set([...ranking(plane.dataset).methods, ...Object.keys(plane.panels).map(Number)])].filter((m) => plane.panels[m]);
  const [first, second] = plane.axes;
  return h("div", {},
    h("p", { class: "caption" }, `Methods by ${metric().words}, best first. Lines: the boundary of each fold. ${plane.cut ? `A section along ${first} and ${second}.` : first ? `Right: ${first}; up: ${second}.` : ""}`),
    planesFigure(plane, shown));
}

// Every fold of every method, best first, with the intervals of the means.
function foldsFigure(d, by) {
  const { ratio, step, over, folds } = datasets[d], [least, most] = by.bounds.map((end, i) => end ?? (i ? Infinity : -Infinity));
  const rows = ranking(d, by).methods.map((m) => {
    const value = meanOf(d, m, by), sd = spreadOf(d, m, by), half = sd === null ? null : study.t[folds - 2] * (sd <= TIE ? step / Math.sqrt(12) : sd) * Math.sqrt(1 / folds + ratio);
    const [low, high] = half === null ? [null, null] : [Math.max(least, value - half), Math.min(most, value + half)];
    return { m, value, low, high, dots: foldsOf(d, m, by).map((fold) => fold * UNIT), words: `${fixed(value)}${half === null ? "" : ` [${fixed(low)}, ${fixed(high)}]`}` };
  });
  const name = datasets[d].name, width = Math.min(760, document.getElementById("browser-detail").clientWidth);
  return h("div", {}, plotFigure(`methods-${name}`, `Folds of every method on ${label(datasets[d])}`, `Small dots: ${by.words} in ${over}, darker where folds are equal. Large dot: the mean, with its 95 % interval, which allows for overlapping training sets (Nadeau and Bengio, 2003).`,
    rowsPlot(rows, width, { label: by.words })));
}

// Name → what the tab shows, for the tabs that a data set has.
function tabsOf(d) {
  const own = plainSection(d), one = datasets[d], tabs = new Map();
  const plane = study.planes.find(({ dataset }) => dataset === d);
  if (plane) tabs.set("planes", () => planesOf(plane));
  for (const figure of own.querySelectorAll("figure[data-name]"))
    if (figure.querySelector("svg")) tabs.set(figure.dataset.name.slice(0, -one.name.length - 1), () => h("div", { class: "figures" }, borrow(figure)));
  if (tabs.has("methods") && bestOn(d) !== null) tabs.set("methods", () => foldsFigure(d, metric()));
  const boxes = [...own.querySelectorAll(".tabled")], facts = own.querySelectorAll(".more > p, .more > .card");
  if (boxes.length) tabs.set("tables", () => h("div", {}, boxes.map(borrow)));
  if (facts.length) tabs.set("rows", () => h("div", {}, [...facts].map(borrow)));
  const known = Object.keys(TABS);
  const sorted = d3.sort([...tabs], ([name]) => (known.includes(name) ? known.indexOf(name) : known.length - 2.5));
  return new Map([["table", () => methodsOn(d, metric())], ...sorted]);
}

function tabTitle(name, tabs) {
  if (name === "boundaries" && tabs.has("planes")) return "Agreement of folds";
  return TABS[name] ?? name.replaceAll("_", " ");
}

const chosenTab = (tabs) => (tabs.has(view.get("tab")) ? view.get("tab") : "table");

// The arrow keys move the focus along some elements, and `take` is called with the one that is reached.
function arrows(host, selector, take) {
  host.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const each = [...host.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
    const at = each.indexOf(event.target.closest(selector));
    if (at < 0 || !(step || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const next = each[event.key === "Home" ? 0 : event.key === "End" ? each.length - 1 : Math.max(0, Math.min(each.length - 1, at + step))];
    next.focus({ preventScroll: true });
    take(next);
  });
}

// Another view in the place of this one, so that arrow keys do not fill the browser's history.
const turn = (changes) => location.replace(address(changes));

function tabList(tabs, chosen) {
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the data set" }, [...tabs.keys()].map((name) =>
    h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-selected": `${name === chosen}`, "aria-controls": "tab-panel", tabindex: name === chosen ? 0 : -1, onclick: () => turn({ tab: name === "table" ? null : name }) }, tabTitle(name, tabs))));
  arrows(list, "[role=tab]", (tab) => tab.click());
  return list;
}

// ---- the selected data set

const SEPARABLE = { yes: "yes", no: "no", "some pairs": "some pairs of classes", "quasi-complete": "yes, with rows on the boundary", undecided: "undecided" };

function classesOf(one) {
  const total = d3.sum(one.counts);
  const hidden = one.n_classes - one.classes.length;
  return [
    h("span", { class: "shares", "aria-hidden": "true" }, one.counts.map((n, code) => h("i", { style: `flex: ${n / total}; background: ${classColour(code)}` }))),
    ...one.classes.map((name, code) => h("span", { class: "key" }, h("span", { class: "dot", style: `background: ${classColour(code)}` }), `${name} ${one.counts[code].toLocaleString("en")}`)),
    hidden > 0 ? `and ${hidden.toLocaleString("en")} more` : null,
  ];
}

// The best methods of a data set, and how many others are clearly behind them.
function bestWords(d, by) {
  const { methods: ranked, places } = ranking(d, by);
  if (!ranked.length) return null;
  const first = ranked.filter((m) => places.get(m) === 1), others = ranked.length - first.length;
  const worse = [...behindBest(d, by).values()].filter(({ p }) => p < ALPHA).length;
  const named = first.slice(0, FIRST_NAMED).flatMap((m, i) => [i ? ", " : null, methodName(m)]), more = first.length > FIRST_NAMED ? ` and ${first.length - FIRST_NAMED} more` : "";
  const behind = others && datasets[d].folds > 1 ? `; ${worse || "none"} of the ${plural(others, "other")} ${worse === 1 ? "is" : "are"} significantly worse` : "";
  return [...named, `${more} with ${by.words} ${fixed(meanOf(d, first[0], by))}${behind}`];
}

function factsOf(d) {
  const one = datasets[d];
  const facts = {
    Best: bestWords(d, metric()),
    Size: `${plural(one.rows, "row")} × ${plural(one.features, "feature")}${one.sparse ? " (sparse)" : ""}`,
    Classes: classesOf(one),
    Baseline: `${fixed(one.majority)} accuracy by always guessing the most frequent class`,
    Separable: one.separable ? `by a hyperplane: ${SEPARABLE[one.separable] ?? one.separable}` : null,
    Evaluation: `${one.over}; the same rows for every method`,
    "Planned fits": one.planned && `of each method ${one.planned}`,
    Source: one.source,
    "Shares rows": one.shares.length ? one.shares.flatMap((name, i) => [i ? ", " : "with ", datasetName(place(datasets, name))]) : null,
  };
  return h("dl", { class: "card" }, Object.entries(facts).filter(([, fact]) => fact).flatMap(([term, fact]) => [h("dt", {}, term), h("dd", {}, fact)]));
}

// Text in which `what one types` is code.
const withCode = (text) => text.split("`").map((piece, i) => (i % 2 ? h("code", {}, piece) : piece));

function datasetDetail(d) {
  const one = datasets[d];
  const title = h("h3", {}, label(one));
  if (one.unavailable) return [title, h("p", { class: "facts" }, `This data set was unavailable: ${one.unavailable}`)];
  const tabs = tabsOf(d), chosen = chosenTab(tabs);
  const panel = h("div", { role: "tabpanel", id: "tab-panel", "aria-labelledby": `tab-${chosen}`, tabindex: 0, "data-tab": chosen }, tabs.get(chosen)());
  return [
    title, factsOf(d),
    one.warnings.length ? h("ul", { class: "warnings" }, one.warnings.map((text) => h("li", {}, withCode(text)))) : null,
    tabList(tabs, chosen), panel,
  ].filter(Boolean);
}

// ---- the list

// The best method, and how many share its mean.
function winners(d, by) {
  const first = [...ranking(d, by).places].filter(([, place]) => place === 1).map(([m]) => label(methods[m]));
  return first.length > 1 ? `${first[0]} and ${first.length - 1} more` : first[0];
}

function listItem(d, x, by) {
  const one = datasets[d], best = one.unavailable ? null : bestOn(d, by);
  const size = one.unavailable ? "unavailable" : `${one.rows.toLocaleString("en")} × ${one.features.toLocaleString("en")}, ${one.n_classes}\u00a0classes`;
  return h("li", {}, h("a", { href: address({ data: one.name }), "data-d": d, class: "item" },
    h("span", { class: "title" }, broken(label(one)), one.warnings.length ? h("abbr", { class: "warned", title: one.warnings.join("; ").replaceAll("`", "") }, " ⚠", h("span", { class: "unseen" }, `${plural(one.warnings.length, "warning")}`)) : null),
    h("span", { class: "top" }, best === null ? "–" : fixed(meanOf(d, best, by))),
    h("span", { class: "size" }, size),
    best === null ? h("span", {}) : [spreadStrip(d, x, by, best), h("span", { class: "winner" }, winners(d, by))]));
}

function drawList(by) {
  const host = document.getElementById("browser-list");
  const all = datasets.flatMap((one, d) => (one.unavailable ? [] : ranking(d, by).methods.filter((m) => !study.baseline.includes(m)).map((m) => meanOf(d, m, by))));
  const x = scoreScale(all.length ? all : [0, 1], by, SPREAD.width);
  const list = h("ul", {}, datasets.map((_, d) => listItem(d, x, by)));
  const heading = h("p", { class: "caption list-head" }, h("span", {}, "Each line: a method"), h("span", {}, `Best ${by.words}`));
  const field = host.querySelector("input") ?? (datasets.length > FEW && h("input", { type: "search", "aria-label": "Filter data sets", placeholder: `Filter ${datasets.length} data sets` }));
  const take = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of host.querySelectorAll("li")) item.hidden = !wanted.every((word) => label(datasets[item.firstChild.dataset.d]).toLowerCase().includes(word));
  };
  host.replaceChildren(...[field, heading, list].filter(Boolean));
  arrows(list, "a", (link) => turn({ data: datasets[link.dataset.d].name }));
  if (!field) return;
  field.oninput = take;
  take();
}

const chosenDataset = () => Math.max(0, place(datasets, view.get("data")));

function markChosen(d) {
  const list = document.querySelector("#browser-list ul");
  for (const link of list.querySelectorAll("a")) {
    const own = Number(link.dataset.d) === d;
    link.tabIndex = own ? 0 : -1;
    if (own) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  const item = list.children[d];
  list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
  list.scrollLeft = item.offsetLeft - 16;
}

function drawBrowser(changed) {
  const host = document.getElementById("browser");
  if (!host || !datasets.length) return;
  if (!host.firstChild) host.append(
    h("nav", { id: "browser-list", "aria-label": "Data sets; the arrow keys move along them" }), h("div", { id: "browser-detail" }));
  const d = chosenDataset();
  if (changed.has("metric")) drawList(metric());
  markChosen(d);
  const focused = document.activeElement?.id;
  giveBack();
  document.getElementById("browser-detail").replaceChildren(unknownNote("data", datasets), ...datasetDetail(d));
  for (const svg of host.querySelectorAll("svg[data-columns]")) foldColumns(svg, svg.parentElement.clientWidth / SMALLEST);
  if (focused?.startsWith("tab-")) document.querySelector("#browser [aria-selected=true]")?.focus({ preventScroll: true });
}

part(["metric", "data", "tab"], drawBrowser, document.getElementById("browser"));
redrawAtWidth(document.getElementById("browser"), () => { if (document.getElementById("browser-detail")) drawBrowser(new Set()); });
addEventListener("beforeprint", () => { if (!document.documentElement.classList.contains("one-figure")) giveBack(); });
addEventListener("afterprint", () => { if (!borrowed.size) drawBrowser(new Set()); });

// Links to the plain sequence select the data set here.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#data-']");
  const d = link ? datasets.findIndex(({ anchor }) => `#${anchor}` === link.getAttribute("href")) : -1;
  if (d < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ data: datasets[d].name });
});
