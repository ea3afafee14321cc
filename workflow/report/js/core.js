"use strict";
// What all parts of the page share: the study, the view that the address describes, statistics, names and exports.
// Without scripts the page shows all tables and figures in one sequence; scripts add to it and rearrange it.

const study = JSON.parse(document.getElementById("study").textContent);
const { methods, datasets } = study;
const UNIT = 1e-5; // of scores
const MICROSECOND = 1e-6; // of times
const large = "large" in document.documentElement.dataset; // parts of a page of many scores wait to be drawn
const NEAR = 3; // names that are suggested for one that is unknown
const TIE = UNIT; // scores that differ by no more than their rounding are equal

// ---- elements

// h("p", {class: "note", onclick: act}, "text", element): an element; attributes that are null or false are left out.
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAll(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAll(element, attributes);
  element.append(...children.flat());
  return element;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// ---- the view: #metric=auc&data=iris&method=lda

const parts = []; // functions that draw a part of the page for the view
let view = readView();

function readView() {
  const hash = location.hash.slice(1), found = new URLSearchParams(hash.includes("=") ? hash : "");
  const pair = found.get("compare")?.split(",") ?? []; // compare=svm,lda is short for a=svm&b=lda
  found.delete("compare");
  ["a", "b"].forEach((key, i) => { if (pair[i]) found.set(key, pair[i].trim()); });
  return found;
}

// The address of the same view with some changes; null removes a key.
function address(changes) {
  const next = new URLSearchParams(view);
  for (const [key, value] of Object.entries(changes)) if (value === null) next.delete(key); else next.set(key, value);
  return `#${next}`;
}

function go(changes) { location.hash = address(changes).slice(1) || "top="; }

// A part of the page: draw(changed) is called now and whenever one of its keys changes in the address; on a page of
// many scores, if its box is given, not before that comes near the window or is printed.
function part(keys, draw, box = null) {
  const own = box && large ? whenNear(box, draw) : draw;
  parts.push({ keys, draw: own });
  own(new Set(keys));
}

function whenNear(box, draw) {
  let due = null, near = false;
  later(box, () => {
    near = true;
    if (due) draw(due);
    due = null;
  });
  return (changed) => { if (near) draw(changed); else due = changed; };
}

// On large pages, parts of the plain sequence are text in <noscript>, which browsers that run scripts do not parse.
function unfold(box) {
  for (const part of box.querySelectorAll("noscript")) part.replaceWith(document.createRange().createContextualFragment(part.textContent));
  furnish(box);
}
addEventListener("toggle", ({ target }) => { if (target.open && target.querySelector("noscript")) unfold(target); }, true);
addEventListener("beforeprint", () => { if (document.querySelector("noscript")) unfold(document); });

// What scripts add to tables, which begin to work when they come near the window, and to figures.
function furnish(box) {
  for (const table of box.querySelectorAll(".tabled:not([data-ready], [data-late])"))
    later(table, () => { if (!table.dataset.ready) { linkNames(table); new Interactive(table); } });
  for (const figure of box.querySelectorAll("figure[data-name]:has(.files):not(:has(.exports))"))
    figure.querySelector(".files").prepend(exportsOf(figure, figure.dataset.name), " ");
  for (const svg of box.querySelectorAll("figure[data-name]:has(.files) svg[role=img]:not([data-late])")) later(svg, () => linkTexts(svg));
}

// Names of methods in a drawing of Matplotlib become links to their views, so it is no longer an image for readers' aids.
function linkTexts(svg) {
  for (const text of svg.querySelectorAll("text")) {
    const m = methods.findIndex((one) => label(one) === text.textContent.replace(/†$/, ""));
    if (m < 0) continue;
    const link = s("a", { href: address({ method: methods[m].name }), "data-m": m });
    text.replaceWith(link);
    link.append(text);
    svg.setAttribute("role", "group");
  }
}

// Calls fill() once, when an element comes near the window or before the page is printed.
const waiting = new WeakMap();
const coming = new IntersectionObserver((seen) => { for (const { isIntersecting, target } of seen) if (isIntersecting) fillNow(target); }, { rootMargin: "200px" });
function later(element, fill) {
  waiting.set(element, fill);
  element.dataset.late = "yes";
  coming.observe(element);
}
function fillNow(element) {
  delete element.dataset.late;
  coming.unobserve(element);
  waiting.get(element)();
}
addEventListener("beforeprint", () => document.querySelectorAll("[data-late]").forEach(fillNow));

addEventListener("hashchange", () => {
  if (/^#[^=]+$/.test(location.hash)) return; // a place on the page, which keeps the view
  const before = view;
  view = readView();
  const changed = new Set([...before.keys(), ...view.keys()].filter((key) => before.get(key) !== view.get(key)));
  for (const { keys, draw } of parts) if (keys.some((key) => changed.has(key))) draw(changed);
  reveal(changed);
});

// Show the part of the page that a change of the address is about.
function reveal(changed) {
  const titles = { method: "methods", data: "dataset", a: "compare", b: "compare" };
  const key = Object.keys(titles).find((one) => changed.has(one) && view.get(one)), title = document.getElementById(titles[key]);
  if (!title) return;
  const { top, bottom } = title.getBoundingClientRect(), pair = titles[key] === "compare";
  if (!pair || top < 0 || bottom > innerHeight) title.scrollIntoView(); // a reader at the fields of a pair stays there
}

// The number of letters to change, insert or delete to turn one text into another.
function editDistance(one, other) {
  let row = d3.range(other.length + 1);
  for (const [i, letter] of [...one].entries()) {
    const above = row;
    row = [i + 1];
    [...other].forEach((own, j) => row.push(Math.min(above[j + 1] + 1, row[j] + 1, above[j] + (letter === own ? 0 : 1))));
  }
  return row.at(-1);
}

// A line about a name of the address that the study does not have, with the names that are nearest to it; else "".
function unknownNote(key, list) {
  const given = view.get(key);
  if (given === null || place(list, given) >= 0) return "";
  const far = list.map((one) => editDistance(given.toLowerCase(), one.name.toLowerCase()));
  const near = d3.sort(d3.range(list.length), (i) => far[i]).slice(0, NEAR);
  const what = { data: "data set", metric: "metric" }[key] ?? "method";
  return h("p", { class: "unknown", role: "status" }, `The study has no ${what} “${given}”. Nearest names: `,
    near.flatMap((i, k) => [k ? ", " : null, h("a", { href: address({ [key]: list[i].name }) }, list[i].name)]), ".");
}

const metricOf = (name) => study.metrics.find((metric) => metric.name === name);
const metric = () => metricOf(view.get("metric")) ?? study.metrics[0];
const place = (list, name) => list.findIndex((one) => one.name === name);

// ---- statistics; d and m are numbers of a data set and a method

const foldsOf = (d, m, by = metric()) => study.scores[by.name]?.[d][m] ?? null;

const means = new Map(); // metric → [data set][method]
function meanOf(d, m, by = metric()) {
  if (!means.has(by.name))
    means.set(by.name, study.scores[by.name].map((row) => row.map((folds) => folds && d3.mean(folds) * UNIT)));
  return means.get(by.name)[d][m];
}

function spreadOf(d, m, by = metric()) {
  const folds = foldsOf(d, m, by);
  return folds && folds.length > 1 ? d3.deviation(folds) * UNIT : null;
}

// How much better a is than b on a data set, with the 95 % interval of the paired difference, which allows for
// training rows that folds share (Nadeau and Bengio, 2003); null without scores of both.
function paired(d, a, b, by = metric()) {
  const [x, y] = [foldsOf(d, a, by), foldsOf(d, b, by)];
  if (!x || !y || x.length !== y.length) return null;
  const sign = (by.greater ? 1 : -1) * UNIT;
  const each = x.map((value, i) => sign * (value - y[i]));
  const difference = d3.mean(each);
  if (each.length < 2) return { difference };
  const { ratio, step } = datasets[d];
  const sd = d3.deviation(each);
  const half = study.t[each.length - 2] * (sd <= TIE ? step / Math.sqrt(12) : sd) * Math.sqrt(1 / each.length + ratio);
  return { difference, low: difference - half, high: difference + half };
}

// The data sets with scores that count in comparisons: of those that share rows, the first.
const counting = new Map(); // by metric
function independent(by = metric()) {
  if (counting.has(by.name)) return counting.get(by.name);
  const scored = d3.range(datasets.length).filter((d) => methods.some((_, m) => foldsOf(d, m, by)));
  const first = (d) => !scored.some((other) => other < d && datasets[d].shares.includes(datasets[other].name));
  counting.set(by.name, study.across[by.name]?.datasets ?? scored.filter(first));
  return counting.get(by.name);
}

// Geometric mean over independent data sets of the median times of fits, in microseconds, as in ratios of two methods.
function typicalTime(m, by = metric()) {
  const known = independent(by).map((d) => study.seconds[d][m]).filter((micro) => micro);
  return known.length ? Math.exp(d3.mean(known, Math.log)) : null;
}

// Those on which both methods have a score.
const common = (a, b, by = metric()) => independent(by).filter((d) => meanOf(d, a, by) !== null && meanOf(d, b, by) !== null);

// Data sets on which a is better than b by more than the region of practical equivalence, equal, and worse.
function record(a, b, by = metric()) {
  const sign = by.greater ? 1 : -1;
  const each = common(a, b, by).map((d) => sign * (meanOf(d, a, by) - meanOf(d, b, by)));
  const margin = by.rope + TIE;
  const wins = each.filter((x) => x > margin).length, losses = each.filter((x) => x < -margin).length;
  return { n: each.length, wins, ties: each.length - wins - losses, losses };
}

// The method that others are compared with: the focus, else the best one.
const control = (by = metric()) => study.across[by.name]?.control ?? study.focus[0] ?? order(by)[0];

// Methods, best first: by mean rank, of one data set by mean; those that lack scores last.
function order(by = metric()) {
  const across = study.across[by.name];
  const key = new Map();
  if (across) across.methods.forEach((m, i) => key.set(m, across.rank[i]));
  const sign = by.greater ? -1 : 1;
  const lone = (m) => { const known = datasets.map((_, d) => meanOf(d, m, by)).filter((x) => x !== null); return known.length ? sign * d3.mean(known) : Infinity; };
  return d3.sort(d3.range(methods.length), (m) => key.get(m) ?? (across ? 1e6 : 0) + (across ? 0 : lone(m)));
}

// ---- colours: the focus and the leading methods by the study's metric; others are grey

const { leading } = study;
const colour = (m) => leading.includes(m) ? `var(--m${leading.indexOf(m)})` : "var(--other)";

// ---- names

const methodName = (m, attributes = {}) => h("a", { class: `name${leading.includes(m) ? ` m${leading.indexOf(m)}` : ""}`, href: address({ method: methods[m].name }), "data-m": m, ...attributes },
  broken(label(methods[m])));
// Names of methods in the page's own tables become links to their views.
function linkNames(box) {
  for (const name of box.querySelectorAll("a.name:not([href])")) name.href = address({ method: methods[name.dataset.m].name });
}
const datasetName = (d, attributes = {}) => h("a", { href: address({ data: datasets[d].name }), "data-d": d, ...attributes }, broken(label(datasets[d])));
const label = (one) => one.label ?? one.name;
const broken = (name) => name.split(/(?<=_)/).flatMap((piece, i) => (i ? [h("wbr"), piece] : [piece]));

// ---- numbers, as in the page's tables

const minus = (text) => text.replaceAll("-", "−");
const fixed = (x, digits = 3) => x === null || x === undefined || Number.isNaN(x) ? "–" : minus(Math.abs(x) < 1000 ? x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : Math.abs(x) < 1e6 ? Math.round(x).toLocaleString("en") : x.toPrecision(3));
const signed = (x, digits = 3) => (typeof x !== "number" || Number(x.toFixed(digits)) < 0 ? "" : Number(x.toFixed(digits)) > 0 ? "+" : "\u2007") + fixed(x, digits);
const between = ({ low, high }, digits = 3) => low === undefined ? "" : `[${signed(low, digits)}, ${signed(high, digits)}]`;
function seconds(micro) {
  if (micro === null || micro === undefined) return "–";
  const x = micro * MICROSECOND;
  const [unit, scale] = [[1e-3, "µs", 1e6], [1, "ms", 1e3], [120, "s", 1], [7200, "min", 1 / 60], [Infinity, "h", 1 / 3600]].find(([limit]) => x < limit).slice(1);
  return `${Number((x * scale).toPrecision(2))} ${unit}`;
}
const probability = (p) => p === null || p === undefined ? "–" : p < 0.0005 ? "< .001" : p > 0.9995 && p < 1 ? "> .999" : p === 1 ? "1" : p.toFixed(3).replace(/^0/, "");
const pWords = (p) => (/^[<>]/.test(probability(p)) ? `p ${probability(p)}` : `p = ${probability(p)}`);
const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

// ---- exports of figures: what is shown, as SVG, PNG or PDF

function save(name, content, type) {
  const link = h("a", { download: name, href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A drawing as a file of its own: the page's colours and fonts written out, which outside of the page have no names.
function drawing(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
  const [width, height] = sizeOf(svg), own = getComputedStyle(svg.isConnected ? svg : document.body);
  setAll(copy, { width, height });
  Object.assign(copy.style, { fontFamily: own.fontFamily, fontSize: own.fontSize, color: own.color });
  const written = new Map();
  const colourOf = (name) => {
    const probe = document.body.appendChild(h("span", { style: `color: var(${name})` }));
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  return new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, (_, name) => {
    if (!written.has(name)) written.set(name, colourOf(name));
    return written.get(name);
  });
}

// In pixels; a drawing that is made to be saved is not on the page.
function sizeOf(svg) {
  const { width, height } = svg.getBoundingClientRect();
  return width ? [width, height] : ["width", "height"].map((name) => Number(svg.getAttribute(name)));
}

async function picture(svg, scale = 3) {
  const [width, height] = sizeOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing(svg))}`;
  await image.decode();
  const canvas = h("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// The browser prints this figure alone; its dialog saves it as PDF.
function printAlone(figure) {
  figure.classList.add("alone");
  document.documentElement.classList.add("one-figure");
  addEventListener("afterprint", () => {
    figure.classList.remove("alone");
    document.documentElement.classList.remove("one-figure");
  }, { once: true });
  print();
}

// Buttons that save the drawing of a figure, which svg() finds when one is pressed.
function exportsOf(figure, name, svg = () => figure.querySelector("svg")) {
  return h("span", { class: "exports" },
    h("button", { type: "button", title: "Save this figure as SVG", onclick: () => save(`${name}.svg`, drawing(svg()), "image/svg+xml") }, "SVG"),
    h("button", { type: "button", title: "Save this figure as PNG", onclick: async () => save(`${name}.png`, await picture(svg())) }, "PNG"),
    h("button", { type: "button", title: "Print this figure alone, or save it as PDF", onclick: () => printAlone(figure) }, "PDF"));
}

// A figure of Observable Plot with title, caption and exports.
function plotFigure(name, title, caption, drawn) {
  const figure = h("figure", { "data-name": name });
  for (const group of drawn.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label"); // which a group may not have
  figure.append(h("div", { class: "scroll", tabindex: 0 }, drawn), h("figcaption", {}, h("b", {}, `${title}. `), caption, " ", exportsOf(figure, name, () => figure.querySelector("svg:not([class*=swatch])"))));
  return figure;
}

// Settings that all plots share.
const look = (options) => ({ style: { background: "transparent", color: "var(--ink)", fontFamily: "inherit", fontSize: "12px", overflow: "visible" }, ...options });

// Draws again when the width of a box changes.
function redrawAtWidth(host, draw) {
  let width = host.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - width) < 8 || !host.clientWidth) return;
    width = host.clientWidth;
    draw();
  }).observe(host);
}

// The width of text in a figure, in pixels.
const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, weight = 400, size = 12) {
  ruler.font = `${weight} ${size}px ${textWidth.family ??= getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

const clipped = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

// A row for each method: its value as a large dot on its interval, and small dots above them. `rows` have m, value, low,
// high and dots; `x` are options of Plot's scale.
function rowsPlot(rows, width, x) {
  const named = rows.map((row) => ({ ...row, name: clipped(label(methods[row.m]), width < 520 ? 18 : 30) }));
  const dots = rows.flatMap((row) => (row.dots ?? []).map((value) => ({ ...row, value }))), beside = dots.length ? 5 : 0;
  const fill = ({ m }) => (leading.includes(m) ? colour(m) : "var(--muted)"), y = "m";
  const svg = Plot.plot(look({
    width, marginLeft: 12 + d3.max(named, (row) => textWidth(row.name)), marginRight: 20, marginTop: 6, marginBottom: 42, height: 48 + (beside ? 26 : 20) * rows.length,
    x: { labelAnchor: "center", labelArrow: "none", labelOffset: 36, ticks: width < 520 ? 4 : 7, grid: true, nice: true, ...x },
    y: { type: "band", domain: rows.map((row) => row.m), axis: null, padding: 0 },
    marks: [
      Plot.dot(dots, { x: "value", y, r: 2.5, dy: -beside, fill, fillOpacity: 0.35 }),
      Plot.ruleY(rows.filter((row) => row.low !== null), { x1: "low", x2: "high", y, dy: beside, stroke: fill, strokeWidth: 1.5 }),
      Plot.dot(rows, { x: "value", y, r: 4, dy: beside, fill, className: "values" }),
      Plot.text(named, { text: "name", y, href: ({ m }) => address({ method: methods[m].name }), frameAnchor: "left", textAnchor: "end", dx: -8, fill: "currentColor" }),
    ],
  }));
  svg.querySelectorAll(".values > *").forEach((dot, i) => { dot.dataset.tip = `${label(methods[rows[i].m])}: ${rows[i].words}`; });
  svg.querySelectorAll("[aria-label=text] a").forEach((link, i) => { link.dataset.m = rows[i].m; });
  return svg;
}

// Places columns of panels of a drawing of Matplotlib below each other where it is not wider than `room` otherwise:
// data-columns has the ends of its parts (linclass_study/report/drawing/svg.py).
const unfolded = new WeakMap();
function foldColumns(svg, room) {
  if (!unfolded.has(svg)) unfolded.set(svg, { nodes: [...svg.childNodes], box: svg.getAttribute("viewBox"), points: svg.style.getPropertyValue("--points") });
  const { nodes, box, points } = unfolded.get(svg), [margin, top, bottom, head, from, to, ...cuts] = svg.dataset.columns.split(" ").map(Number);
  svg.replaceChildren(...nodes);
  svg.setAttribute("viewBox", box);
  svg.style.setProperty("--points", points);
  if (points <= room) return;
  const strips = [];
  for (const [left, right] of d3.pairs(cuts))
    if (strips.length && margin + right - strips.at(-1)[0] <= room) strips.at(-1)[1] = right; else strips.push([left, right]);
  const width = Math.max(margin + d3.max(strips, ([left, right]) => right - left), Math.min(head, room)), height = Number(box.split(" ")[3]), id = `whole-${unfolded.id = (unfolded.id ?? 0) + 1}`, parts = [];
  let y = 0;
  const piece = (x, left, right, up, down) => {
    if (right <= left || down <= up) return;
    const size = { x, y, width: Math.min(right - left, width - x), height: down - up };
    parts.push(s("svg", { ...size, viewBox: `${left} ${up} ${right - left} ${down - up}`, preserveAspectRatio: "xMinYMid" }, parts.length ? s("use", { href: `#${id}` }) : s("g", { id }, nodes)));
  };
  piece(0, 0, head, 0, top);
  y = head ? top : 0;
  for (const [left, right] of strips) {
    piece(0, 0, margin, top, bottom);
    piece(margin, left, right, top, bottom);
    y += bottom - top + 8;
  }
  if (to > from) piece(0, (from + to - width) / 2, (from + to + width) / 2, bottom, height);
  svg.replaceChildren(...parts);
  svg.setAttribute("viewBox", `0 0 ${width} ${y + (to > from ? height - bottom : 0)}`);
  svg.style.setProperty("--points", width);
}
