// Two methods against each other: on each data set, and over all of them.

const POSTERIOR_DRAWS = 20000;
const SIGNIFICANT = 0.05;
const SURE = 0.95, PROBABLE = 0.75; // probabilities of an answer with "very probably" and "probably"
const SAME_TIME = 1.05; // ratio of times, below which they are not told apart
const REFERENCE = "logistic"; // whose name readers know, so the best method is compared with it

// The methods of the address; by default the focus against the best of the others, without a focus the best method
// against REFERENCE, or against the next one.
function pairOf(by) {
  const [a, b] = ["a", "b"].map((key) => place(methods, view.get(key)));
  const known = study.focus.length ? [study.focus[0]] : [control(by), place(methods, REFERENCE)].filter((m) => m >= 0);
  const others = [...known, ...order(by)];
  const first = a >= 0 ? a : others.find((m) => m !== b);
  return [first, b >= 0 ? b : others.find((m) => m !== first)];
}

// ---- statistics of a pair

// How much better a is than b on a data set, by the means over its folds.
const ahead = (d, a, b, by) => (by.greater ? 1 : -1) * (meanOf(d, a, by) - meanOf(d, b, by));

// Twice the mean ranks of values; those that differ by no more than their rounding share one.
function doubledRanks(values) {
  const sorted = d3.sort(d3.range(values.length), (i) => values[i]), ranks = [];
  for (let begin = 0, end; begin < sorted.length; begin = end) {
    for (end = begin + 1; end < sorted.length && values[sorted[end]] - values[sorted[end - 1]] <= TIE;) end += 1;
    for (const i of sorted.slice(begin, end)) ranks[i] = begin + end + 1;
  }
  return ranks;
}

// Two-sided p of Wilcoxon's signed-rank test with Pratt's ranks, exact also with ties and zeros, as in
// linclass.evaluation.comparisons: given the ranks, the signs of the differences but 0 are fair coins.
function wilcoxon(each) {
  const ranks = doubledRanks(each.map(Math.abs));
  const sides = [1, -1].map((sign) => d3.sum(each, (x, i) => (sign * x > TIE ? ranks[i] : 0)));
  const chance = new Float64Array(Math.floor(d3.sum(sides) / 2) + 1);
  chance[0] = 1; // that the ranks of heads add up to 0, 1, …
  each.forEach((x, i) => {
    if (Math.abs(x) <= TIE) return;
    for (let sum = chance.length - 1; sum >= 0; sum -= 1) chance[sum] = (chance[sum] + (sum >= ranks[i] ? chance[sum - ranks[i]] : 0)) / 2;
  });
  return Math.min(1, 2 * d3.sum(chance.subarray(0, Math.min(...sides) + 1)));
}

// Probabilities that a method is better, equal in practice and worse on further data sets like these: the Bayesian
// signed-rank test of linclass.evaluation.comparisons. Of each draw of weights, sums over pairs of rows (s, t) with
// d_s + d_t > 2 rope are sums of tails, as rows are sorted.
function signedRank(each, rope) {
  const random = d3.randomLcg(0.5), gamma = () => -Math.log(1 - random());
  const d = d3.sort([...each, 0]), prior = d.indexOf(0), limit = 2 * rope + TIE;
  const from = d.map((x) => d3.bisectRight(d, limit - x)), to = d.map((x) => d3.bisectLeft(d, -limit - x));
  const counts = [0, 0, 0], sums = new Float64Array(d.length + 1);
  for (let draw = 0; draw < POSTERIOR_DRAWS; draw += 1) {
    for (let s = 0; s < d.length; s += 1) sums[s + 1] = sums[s] + (s === prior ? gamma() * Math.cos(2 * Math.PI * random()) ** 2 : gamma()); // of shape ½, else 1
    const total = sums[d.length];
    let better = 0, worse = 0;
    for (let s = 0; s < d.length; s += 1) {
      const weight = sums[s + 1] - sums[s];
      better += weight * (total - sums[from[s]]);
      worse += weight * sums[to[s]];
    }
    const equal = total * total - better - worse;
    counts[better >= equal && better >= worse ? 0 : equal >= worse ? 1 : 2] += 1;
  }
  return counts.map((count) => count / POSTERIOR_DRAWS);
}

// p after correction, and the test: against the control as in the leaderboard, else of all pairs of the complete field;
// null for methods that are not in it.
function testOf(a, b, by) {
  const across = study.across[by.name];
  if (!across) return null;
  const other = across.others?.indexOf(a === across.control ? b : b === across.control ? a : -1) ?? -1;
  if (other >= 0) return { p: across.p[other], words: across.words };
  const [i, j] = d3.sort([a, b].map((m) => across.methods.indexOf(m)));
  return i < 0 ? null : { p: across.pairs ? across.pairs[i][j - i - 1] : 1, words: across.pairs_words };
}

// Median times of a over those of b on each data set; those of independent data sets and their geometric mean.
function costRatios(a, b, by) {
  const each = study.seconds.map((row) => (row[a] && row[b] ? row[a] / row[b] : null));
  const known = independent(by).map((d) => each[d]).filter((ratio) => ratio !== null);
  return { each, known, mean: known.length ? Math.exp(d3.mean(known, Math.log)) : null };
}

function comparisonOf(a, b, by) {
  const counted = common(a, b, by);
  const rows = d3.range(datasets.length).filter((d) => meanOf(d, a, by) !== null && meanOf(d, b, by) !== null)
    .map((d) => ({ d, counted: counted.includes(d), ...paired(d, a, b, by) }));
  const each = counted.map((d) => ahead(d, a, b, by));
  return {
    a, b, by, rows: d3.sort(rows, (one) => -one.difference), each, ratios: costRatios(a, b, by), record: record(a, b, by), mean: meanInterval(each),
    ...(each.length > 1 && { alone: wilcoxon(each), test: testOf(a, b, by), posterior: signedRank(each, by.rope) }),
  };
}

// ---- words

const short = (x) => (x >= 99.5 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(2))));
const whole = (share) => (share < 0.005 ? "< 1 %" : share >= 0.995 ? "> 99 %" : `${Math.round(100 * share)} %`);

// The cost of a fit, always by the slower method; the ratio is the time of a over that of b.
function costWords(a, b, ratio) {
  const [slower, faster] = (ratio > 1 ? [a, b] : [b, a]).map((m) => label(methods[m])), times = Math.max(ratio, 1 / ratio);
  return times < SAME_TIME ? `${slower} and ${faster} take equally long to fit` : `${slower} takes ${short(times)} times as long to fit as ${faster}`;
}

// Which of better, equal in practice and worse probably holds on further data sets.
function answerOf(first, second, by, posterior) {
  const equal = `equal to ${second}${by.rope ? ` to within ${by.rope}` : ""}`, where = "on data sets like these";
  const words = [`better than ${second}`, equal, `worse than ${second}`];
  const most = d3.maxIndex(posterior), share = posterior[most], [better, , worse] = posterior;
  if (share >= PROBABLE) return `${first} is ${share >= SURE ? "very " : ""}probably ${words[most]} ${where}.`;
  if (Math.min(better, worse) <= 1 - SURE) return `${first} is very probably ${equal}, or ${better > worse ? "better" : "worse"}, ${where}.`;
  return `It is undecided whether ${first} or ${second} is better.`;
}

// p in a sentence. Some differences are probable and not significant, others significant and too small to matter.
function significanceOf({ test, posterior, by }) {
  if (!test) return "";
  const [better, equal, worse] = posterior, corrected = `${pWords(test.p)} after correction for multiple comparisons`;
  if (test.p < SIGNIFICANT) return ` The difference is statistically significant (${corrected})${by.rope && equal >= PROBABLE ? ", but too small to matter" : ""}.`;
  return ` The difference is not statistically significant (${corrected})${Math.max(better, worse) >= SURE ? ", so more data sets should confirm it" : ""}.`;
}

function verdictOf(found) {
  const { a, b, by, rows, each, posterior, ratios } = found, [first, second] = [a, b].map((m) => label(methods[m]));
  if (a === b) return ["Choose two different methods."];
  if (!rows.length) return [`There is no data set on which both ${first} and ${second} have a score.`];
  const cost = ratios.mean === null ? "" : ` ${costWords(a, b, ratios.mean)}.`;
  if (each.length < 2) {
    const { d, difference, low, high } = rows[0], open = low <= 0 && high >= 0;
    const size = Math.abs(difference) <= TIE ? `as good as ${second}` : `${difference > 0 ? "better" : "worse"} than ${second} by ${fixed(Math.abs(difference))} in ${by.words}`;
    return [h("b", {}, `On ${label(datasets[d])} ${first} is ${size}.`), low === undefined ? "" : ` The 95 % interval of the difference ${open ? "includes 0, so it may be chance" : "excludes 0"}.`, cost];
  }
  return [h("b", {}, answerOf(first, second, by, posterior)), significanceOf(found), cost];
}

// ---- the forest plot

// Of methods without a colour of their own, one is dark and the other light.
const sideColours = (a, b) => [leading.includes(a) ? colour(a) : "var(--accent)", colour(b)];

function forest({ a, b, by, rows, mean, each }, width) {
  const wide = width >= 520, most = wide ? 26 : 15, size = rows.length > 60 ? 15 : 20;
  const [own, others] = sideColours(a, b), side = (x) => (x > by.rope + TIE ? own : x < -by.rope - TIE ? others : "var(--muted)");
  const shown = rows.map((one) => ({ ...one, key: String(one.d), name: label(datasets[one.d]) + (one.counted ? "" : "*"), fill: side(one.difference) }));
  const all = each.length > 1 ? [{ ...mean, key: "mean", name: "mean", fill: side(mean.difference) }] : [];
  const lines = [...shown, ...all];
  const marginLeft = 12 + d3.max(lines, (one) => textWidth(clipped(one.name, most), one.key === "mean" ? 600 : 400)), marginRight = wide ? 150 : 24;
  const [low, high] = d3.extent([0, ...lines.flatMap((one) => [one.difference, one.low ?? 0, one.high ?? 0])]);
  const [first, second] = [a, b].map((m) => clipped(label(methods[m]), Math.floor((width - marginLeft - marginRight) / 14) - 8));
  const separate = all.length ? [Plot.ruleY(all, { y: "key", dy: -size / 2, stroke: "var(--rule)" })] : [];
  const svg = Plot.plot(look({
    width, marginLeft, marginRight, marginTop: 24, marginBottom: 42, height: 66 + size * lines.length,
    x: { domain: [low, high], nice: true, label: `${wide ? "how much " : ""}${by.greater ? "higher" : "lower"} ${wide ? "the " : ""}${by.words} of ${first}${wide ? " is" : ""}`, labelAnchor: "center", labelArrow: "none", labelOffset: 36, ticks: wide ? 7 : 4, tickFormat: (x) => signed(x, 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") },
    y: { type: "band", domain: lines.map((one) => one.key), axis: null, padding: 0 },
    marks: [
      by.rope ? Plot.rect([0], { x1: Math.max(-by.rope, low), x2: Math.min(by.rope, high), fill: "var(--rule)", fillOpacity: 0.6, ariaLabel: "region of practical equivalence" }) : null,
      Plot.ruleX([0], { stroke: "var(--muted)" }),
      ...separate,
      Plot.ruleY(lines.filter((one) => one.low !== undefined), { y: "key", x1: "low", x2: "high", stroke: "fill", strokeWidth: (one) => (one.key === "mean" ? 3 : 1.5), strokeOpacity: (one) => (one.key === "mean" ? 1 : 0.8) }),
      Plot.dot(lines, { y: "key", x: "difference", r: 4, stroke: "fill", strokeWidth: 1.5, fill: (one) => (one.low > 0 || one.high < 0 ? one.fill : "var(--paper)"), symbol: (one) => (one.key === "mean" ? "diamond" : "circle") }),
      Plot.text(shown, { y: "key", text: (one) => clipped(one.name, most), href: (one) => address({ data: datasets[one.d].name }), frameAnchor: "left", textAnchor: "end", dx: -8, fill: "var(--link)", className: "names" }),
      Plot.text(all, { y: "key", text: "name", frameAnchor: "left", textAnchor: "end", dx: -8, fontWeight: 600 }),
      wide ? Plot.text(lines, { y: "key", text: (one) => `${signed(one.difference)} ${between(one)}`, frameAnchor: "right", textAnchor: "end", dx: 146, fontWeight: (one) => (one.key === "mean" ? 600 : 400), fontVariant: "tabular-nums" }) : null,
      Plot.text([`← ${second} better`], { frameAnchor: "top-left", dy: -18, lineAnchor: "top", fill: "var(--muted)" }),
      Plot.text([`${first} better →`], { frameAnchor: "top-right", dy: -18, lineAnchor: "top", fill: "var(--muted)" }),
    ],
  }));
  svg.querySelectorAll("[aria-label=dot] > *").forEach((dot, i) => { dot.dataset.tip = `${lines[i].name}: ${signed(lines[i].difference)} ${between(lines[i])}`; });
  svg.querySelectorAll("[aria-label=text] a").forEach((link, i) => { link.dataset.d = shown[i].d; });
  return svg;
}

function forestFigure(found, width) {
  const { a, b, by, rows, each } = found;
  const apart = rows.some((one) => !one.counted);
  const caption = [
    "Lines: 95 % intervals, on a data set of the paired differences of its folds (Nadeau and Bengio, 2003), each of one comparison alone, without correction for others. Filled: the interval excludes 0.",
    by.rope ? " Colour: the better method, where the difference is beyond the shade." : " Colour: the better method.",
    by.rope && ` Shaded: ±${by.rope}, no difference in practice.`,
    each.length > 1 && ` The mean is over ${plural(each.length, "independent data set")}${each.length > 2 ? ", with Student’s interval" : ""}.`,
    apart && " * not counted, as it shares rows with another data set.",
  ].filter(Boolean).join("");
  const names = [a, b].map((m) => methods[m].name).join("-");
  return plotFigure(`compare-${names}`, `${label(methods[a])} against ${label(methods[b])} by data set`, caption, forest(found, width));
}

// ---- over all data sets

function posteriorBar({ a, b, by, posterior }) {
  const [own, other] = sideColours(a, b), [first, second] = [a, b].map((m) => label(methods[m]));
  const parts = by.rope
    ? [[`above ${by.rope}: ${first} is better`, own], [`within ±${by.rope}: they are equal in practice`, "var(--rule)"], [`below −${by.rope}: ${second} is better`, other]]
    : [[`above 0: ${first} is better`, own], ["0: they are equal", "var(--rule)"], [`below 0: ${second} is better`, other]];
  return [
    h("div", { class: "posterior", "aria-hidden": "true" }, posterior.map((share, i) => h("span", { style: `width: ${100 * share}%; background: ${parts[i][1]}` }))),
    h("ul", { class: "chances" }, posterior.map((share, i) => h("li", {}, h("span", { class: "dot", style: `background: ${parts[i][1]}` }), h("b", {}, whole(share)), ` ${parts[i][0]}`))),
  ];
}

const definitions = (entries) => h("dl", { class: "overall" }, entries.filter(Boolean).flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]));

function overall(found) {
  const { a, b, by, each, record: { wins, ties, losses }, mean, ratios: { known, mean: ratio } } = found;
  const memory = [a, b].map((m) => d3.max(study.memory, (row) => row[m]));
  const first = label(methods[a]), several = each.length > 1, [low, high] = d3.extent(known, (x) => (ratio > 1 ? x : 1 / x));
  return h("div", {}, definitions([
    several && [`Probabilities of the typical difference in ${by.words} on data sets like these (Bayesian signed-rank test)`, posteriorBar(found)],
    several && ["Number of data sets", by.rope ? `The mean difference is above ${by.rope} on ${wins}, within ±${by.rope} on ${ties}, below −${by.rope} on ${losses}.` : `${first} is better on ${wins}, equal on ${ties}, worse on ${losses}.`],
    several && ["Mean difference", `${signed(mean.difference).trim()} ${between(mean)} in ${by.words}, positive if ${first} is better; the interval is not corrected for other comparisons.`],
    known.length > 1 && ["Time of a fit", `${costWords(a, b, ratio)}; ${short(low)} to ${short(high)} times on single data sets.`],
    memory.every((one) => one !== undefined) && ["Memory", `at most ${memory.map((one, i) => `${one.toLocaleString("en")} MB with ${label(methods[[a, b][i]])}`).join(", ")} (the largest process, with data and libraries)`],
  ]), several && h("details", {}, h("summary", {}, "Other tests"), otherTests(found)));
}

function otherTests({ each, alone, test }) {
  const apart = each.filter((x) => Math.abs(x) > TIE).length, least = 2 / 2 ** apart;
  return definitions([
    test && ["The test above", `${test.words}: ${pWords(test.p)}.`],
    ["Wilcoxon’s test of this pair alone", `${pWords(alone)} without correction.${apart && least > 0.01 ? ` On ${plural(apart, "data set")} with a difference it cannot be below ${probability(least)}.` : ""}`],
    ["The probabilities above", "Bayesian signed-rank test (Benavoli et al., 2017), 20,000 draws. It takes the mean on each data set as exact."],
  ]);
}

function pairTable({ a, b, by, rows }) {
  const [first, second] = [a, b].map((m) => label(methods[m]));
  const heads = [["Data set", "dataset"], [first, "number"], [second, "number"], ["Difference", "number"], [`Fit time of ${first}`, "seconds"], [`Fit time of ${second}`, "seconds"], [`Memory of ${first}, MB`, "number"], [`Memory of ${second}, MB`, "number"]];
  const memory = (megabytes) => h("td", {}, megabytes === null ? "–" : megabytes.toLocaleString("en"));
  const time = (micro) => (micro === null ? h("td", {}, "–") : h("td", { "data-v": micro, "data-text": micro * MICROSECOND }, seconds(micro)));
  const row = (one) => h("tr", {},
    h("th", { scope: "row" }, datasetName(one.d)), scoreCell(one.d, a, by), scoreCell(one.d, b, by),
    h("td", { "data-v": one.difference }, signed(one.difference), one.low !== undefined && h("i", {}, ` ${between(one)}`)),
    ...[a, b].map((m) => time(study.seconds[one.d][m])), ...[a, b].map((m) => memory(study.memory[one.d][m])));
  return viewTable("compare", `${first} against ${second} by ${by.words}`, heads.map(([title, kind]) => h("th", { scope: "col", class: kind }, title)), rows.map(row),
    `Mean ± standard deviation over the folds. Differences are positive where ${first} is better; brackets: 95 % intervals, without correction for other comparisons. Fit times are medians; memory is the most of a process, with data and libraries.`, "h3");
}

// ---- the view

// A field that finds a method by its name; it keeps the method that is chosen until another one is.
function methodField(key, title) {
  const take = () => {
    const m = methods.findIndex((one) => label(one) === field.value);
    if (m >= 0) go({ [key]: methods[m].name });
  };
  const field = h("input", { list: "method-names", "aria-label": title, autocomplete: "off", size: 24, oninput: take,
    onfocus: () => { field.placeholder = field.value; field.value = ""; },
    onblur: () => { field.value = label(methods[pairOf(metric())[key === "a" ? 0 : 1]]); } });
  return field;
}

{
  const host = document.getElementById("compare-view"), shown = h("div");
  const fields = [methodField("a", "First method"), methodField("b", "Second method")];
  const swap = h("button", { type: "button", onclick: () => { const [a, b] = pairOf(metric()); go({ a: methods[b].name, b: methods[a].name }); } }, "Swap");
  host.append(
    h("datalist", { id: "method-names" }, order().map((m) => h("option", { value: label(methods[m]) }))),
    h("p", { class: "versus" }, fields[0], " against ", fields[1], " ", swap), shown);
  const draw = () => {
    const by = metric(), [a, b] = pairOf(by);
    [a, b].forEach((m, i) => { if (document.activeElement !== fields[i]) fields[i].value = label(methods[m]); });
    if (b === undefined) { host.closest("section").hidden = true; return; }
    const found = comparisonOf(a, b, by), width = host.clientWidth || 800;
    const beside = width >= 900, wide = beside ? Math.min(760, width - 420) : width;
    shown.replaceChildren(unknownNote("a", methods), unknownNote("b", methods), h("p", { class: "verdict" }, verdictOf(found)), ...(a === b || !found.rows.length ? [] : [
      h("div", { class: beside ? "beside-each-other" : null }, forestFigure(found, wide), overall(found)),
      h("details", {}, h("summary", {}, "The numbers"), pairTable(found)),
    ]));
  };
  part(["metric", "a", "b"], draw, host);
  redrawAtWidth(host, draw);
}

const comparePair = (a, b) => go({ a: methods[a].name, b: methods[b].name });
