// The view of one method: what it is, its results on all data sets, what was tuned, how its fits ended and how long they took.

const WIDE = 50; // ratio of positive values, from which on their axis is logarithmic
const PLACED = { width: 150, height: 22 };
const HEIGHT = 20; // of a data set in a figure of tuned values

// The selected method stands out, whether it leads or not.
const ownColour = (m) => (leading.includes(m) ? colour(m) : "var(--accent)");

const chosenMethod = () => (view.get("method") && place(methods, view.get("method")) >= 0 ? place(methods, view.get("method")) : study.focus[0] ?? order()[0]);

function chooseMethod(m) {
  const select = h("select", { id: "method", onchange: (event) => turn({ method: event.target.value }) },
    order().map((other) => h("option", { value: methods[other].name, selected: other === m }, label(methods[other]))));
  return h("label", {}, "Method ", select);
}

// {penalty: "l2"} → penalty: l2
const settings = (values) => Object.entries(values).map(([name, value]) => `${name}: ${setting(value)}`).join("; ");
function setting(value) {
  if (Array.isArray(value)) return value.map(setting).join(", ");
  return value !== null && typeof value === "object" ? settings(value) : value === null ? "none" : `${value}`;
}

function stepOf(text) {
  if (!text.startsWith("{")) return text.replaceAll("_", "-");
  const [[name, options]] = Object.entries(JSON.parse(text));
  return `${name.replaceAll("_", "-")} (${settings(options ?? {})})`;
}

function whatItIs(m) {
  const one = methods[m];
  const facts = {
    Predicts: one.predicts, Cost: one.cost, Certificate: one.certificate, Reference: one.reference,
    Classifier: one.classifier ? h("code", {}, one.classifier) : null, Parameters: settings(one.params),
    Tuned: Object.entries(one.tune).map(([name, grid]) => `${name}: ${grid === "path" ? "a path derived from the training rows" : setting(grid)}`).join("; "),
    Preprocessing: one.transforms.map(stepOf).join(", "),
  };
  return [
    h("h4", {}, "What it is"), one.equation ? h("pre", { class: "equation", tabindex: 0, "aria-label": `What ${label(one)} is` }, one.equation) : null,
    h("dl", { class: "card" }, Object.entries(facts).filter(([, fact]) => fact).flatMap(([term, fact]) => [h("dt", {}, term), h("dd", {}, fact)])),
  ];
}

// What a reader looks for first, in words.
function inShort(m, by) {
  const across = study.across[by.name], at = across ? across.methods.indexOf(m) : -1;
  const sets = datasets.flatMap((one, d) => (ranking(d, by).places.has(m) ? [d] : []));
  const first = sets.filter((d) => ranking(d, by).places.get(m) === 1).length;
  const micro = typicalTime(m, by);
  const words = [];
  if (at >= 0) words.push(`mean rank ${fixed(across.rank[at], 1)} of ${across.methods.length} methods by ${by.words}`);
  if (sets.length) words.push(`the best, or tied with it, on ${first} of ${plural(sets.length, "data set")}`);
  if (micro !== null) words.push(`a fit takes ${seconds(micro)} (geometric mean)`);
  const text = words.join("; ");
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "No scores.";
}

function fitsOf(m) {
  const counts = statusesOf(m), all = d3.sum(Object.values(counts));
  if (!all) return "No fits.";
  return `${plural(all, "fit")} in all${counts.converged === all ? ", all converged." : `: ${[counts.converged ? `${counts.converged} converged` : null, ...Object.entries(counts).filter(([status]) => status !== "converged").map(([status, n]) => `${n} ${ENDINGS[status] ?? status}`)].filter(Boolean).join(", ")}.`}`;
}

function resultsOf(m, by) {
  const known = datasets.flatMap((one, d) => (one.unavailable ? [] : [d]));
  const gaps = new Map(known.map((d) => [d, ranking(d, by).places.has(m) ? behindBest(d, by).get(m) : undefined]));
  const x = gapScale([...gaps.values()].filter(Boolean));
  const time = durationScale(known.flatMap(timesOn));
  const strips = scoreScale(known.flatMap((d) => ranking(d, by).methods.filter((other) => !study.baseline.includes(other)).map((other) => meanOf(d, other, by))).concat(known.length ? [] : [0, 1]), by, PLACED.width);
  const ticks = strips.ticks(3);
  const heads = [
    h("th", { scope: "col", class: "dataset" }, "Data set"),
    h("th", { scope: "col", class: `number${by.greater ? "" : " up"}`, title: "Mean and standard deviation over the folds. Each line of the drawing is the mean of a method, the dot that of this one." }, by.title, axis(PLACED, strips, ticks, (tick) => `${tick}`)),
    h("th", { scope: "col", class: "number up" }, "Place"),
    gapHead("To the best", x, "Paired difference to the best method of the data set"),
    h("th", { scope: "col", class: "seconds up", title: "Median time of a fit, on a logarithmic scale; the line is the median of all methods" }, "Fit time"),
    notesHead(),
  ];
  const row = (d) => {
    const { places, methods: ranked } = ranking(d, by), own = places.get(m);
    const gone = datasets[d].unavailable;
    return h("tr", { style: `--own: ${ownColour(m)}`, class: own ? null : "faint" },
      h("th", { scope: "row" }, datasetName(d)), gone ? cell({}, "–") : scoreCell(d, m, by, NaN, spreadStrip(d, strips, by, m, ownColour(m), PLACED)),
      own ? cell({ "data-v": own }, `${own} of ${ranked.length}`) : cell({ "data-v": 1e9, "data-text": "" }, "–"),
      gone ? cell({}, "–") : gapCell(gaps.get(d), x, own && ranked[0] === m),
      durationCell(study.seconds[d][m], time, d3.median(timesOn(d))), cell({ class: "t notes" }, gone ? "unavailable" : notesOn(d, m)));
  };
  return viewTable("method", `${label(methods[m])} on ${plural(datasets.length, "data set")} by ${by.words}`, heads, datasets.map((_, d) => row(d)),
    `Mean and standard deviation over folds. ${UNROUNDED} ${GAPS} A triangle marks a difference beyond the axis. The mark in the bars of fit times is the median of all methods.`);
}

// ---- tuned values

// 10⁻³; nothing for what is between powers of ten
function power(value) {
  const exponent = Math.log10(value);
  if (Math.abs(exponent - Math.round(exponent)) > TIE) return "";
  return `10${[...`${Math.round(exponent)}`].map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign])).join("")}`;
}

function tunedFigure(m, parameter) {
  const found = datasets.flatMap((one, d) => (study.tuned[d][m][parameter] ?? []).map(([value, n, end]) => ({ d, name: label(one), value, n, end })));
  const rows = [...new Set(found.map(({ name }) => name))];
  const numbers = found.every(({ value }) => typeof value === "number");
  const values = found.map(({ value }) => value);
  const log = numbers && d3.min(values) > 0 && d3.max(values) / d3.min(values) >= WIDE;
  const domain = numbers ? undefined : [...new Set(values.map(setting))];
  const at = numbers ? "value" : ({ value }) => setting(value);
  const told = ({ name, value, n, end }) => `${name}: ${setting(value)} in ${plural(n, "fold")}${end ? `, the ${end} of its grid` : ""}`;
  const r = ({ n }) => 2.2 * Math.sqrt(n);
  const inner = found.filter(({ end }) => !end), ends = found.filter(({ end }) => end);
  const drawn = Plot.plot(look({
    width: Math.min(420, document.getElementById("method-view").clientWidth), height: 50 + HEIGHT * rows.length, marginLeft: 118, marginRight: 22, marginTop: 6, marginBottom: 40,
    x: { type: log ? "log" : numbers ? "linear" : "point", domain, label: parameter, labelOffset: 34, ticks: 5, ...(log ? { tickFormat: power } : {}), inset: 10 },
    y: { type: "point", domain: rows, label: null, padding: 0.5, tickSize: 0, tickFormat: (name) => (name.length > 17 ? `${name.slice(0, 16)}…` : name) },
    r: { type: "identity" },
    marks: [
      Plot.ruleY(rows, { stroke: "var(--rule)" }),
      Plot.dot(inner, { x: at, y: "name", r, fill: ownColour(m), fillOpacity: 0.7, title: told }),
      Plot.dot(ends, { x: at, y: "name", r, symbol: "triangle", rotate: ({ end }) => (end === "lowest" ? -90 : 90), fill: "var(--warn)", fillOpacity: 0.85, title: told }),
    ],
  }));
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", `chosen values of ${parameter}`);
  const caption = `Each mark is a value that tuning chose; its area is the number of folds.${ends.length ? " Triangles: an end of the grid, so better values may lie beyond." : ""}`;
  return plotFigure(`tuned-${methods[m].name}-${parameter}`, `Chosen ${parameter}`, caption, drawn);
}

function tunedOf(m) {
  const parameters = [...new Set(study.tuned.flatMap((row) => Object.keys(row[m])))];
  if (!parameters.length) return [];
  return [h("h4", {}, "Tuned values over the folds"), h("div", { class: "tuned" }, parameters.map((parameter) => tunedFigure(m, parameter)))];
}

function drawMethod() {
  const host = document.getElementById("method-view");
  if (!host || !methods.length) return;
  const m = chosenMethod(), by = metric();
  const focused = document.activeElement?.id === "method";
  const marks = marksOf(m, study.across[by.name]);
  host.replaceChildren(...[
    unknownNote("method", methods), chooseMethod(m), h("h3", {}, methodName(m), methods[m].equation ? h("span", { class: "subtitle" }, methods[m].equation.match(/^[^:.]*/)[0]) : null), h("p", { class: "facts" }, inShort(m, by), " ", fitsOf(m), " ", study.planned),
    marks.length ? h("ul", { class: "warnings" }, marks.map(([kind, words]) => h("li", {}, `${MARKS[kind][0]} ${words}`))) : null,
    resultsOf(m, by), ...tunedOf(m), ...whatItIs(m),
  ].filter(Boolean));
  if (focused) document.getElementById("method").focus({ preventScroll: true });
}

part(["metric", "method"], drawMethod, document.getElementById("method-view"));
