// The first screen: the leaderboard, a figure and a table in one, and decision boundaries beside it.

const FIRST = 25; // rows that are shown before a reader asks for all
const MARKS = {
  incomplete: ["∅", "no score on some data set, so it is not ranked"],
  grid_end: ["†", "in at least half of the fits on some data set, tuning chose the smallest or largest value that it tries (an end of its grid): others may give a better score"],
  unconverged: ["≠", "some fits stopped at the iteration limit, before the optimum: more iterations may make the score better or worse"],
  separable: ["∞", "some fits separate the classes without a penalty, so the weights have no finite optimum: probabilities are too near 0 and 1, which makes the log loss worse"],
  deficient: ["≡", "in some fits the rows do not determine every parameter, as features depend on others: the solution is not unique, and methods can have the same predictions"],
  failed: ["✕", "some fits failed"],
};
const UNCONVERGED = ["max_iter"];
const FITTED = ["converged", "max_iter", "separable", "rank_deficient"];

function statusesOf(m) {
  const total = {};
  for (const row of study.fits) for (const [status, n] of Object.entries(row[m])) total[status] = (total[status] ?? 0) + n;
  return total;
}

function marksOf(m, across) {
  const statuses = statusesOf(m);
  const count = (of) => d3.sum(Object.entries(statuses), ([status, n]) => (of(status) ? n : 0));
  const found = [];
  const stopped = count((status) => UNCONVERGED.includes(status)), failed = count((status) => !FITTED.includes(status));
  const all = d3.sum(Object.values(statuses));
  if (across && !across.methods.includes(m)) found.push(["incomplete", MARKS.incomplete[1]]);
  if (failed) found.push(["failed", `${failed} of ${plural(all, "fit")} failed or do not apply`]);
  if (stopped) found.push(["unconverged", `${stopped} of ${plural(all, "fit")} stopped at the iteration limit, before the optimum`]);
  if (statuses.separable) found.push(["separable", `${statuses.separable} of ${plural(all, "fit")}: the classes are separable and there is no penalty, so the weights have no finite optimum`]);
  if (statuses.rank_deficient) found.push(["deficient", `${statuses.rank_deficient} of ${plural(all, "fit")}: the rows do not determine every parameter, so the solution is not unique`]);
  if (methods[m].grid_end) found.push(["grid_end", `${methods[m].grid_end}: a wider grid may give a better score`]);
  return found;
}

// [data set][method]: how far a mean is behind the best one of its data set; null without a score of every fold.
function relative(by) {
  const sign = by.greater ? 1 : -1;
  return datasets.map((_, d) => {
    const known = d3.range(methods.length).filter((m) => meanOf(d, m, by) !== null);
    const best = d3.max(known, (m) => sign * meanOf(d, m, by));
    return d3.range(methods.length).map((m) => (meanOf(d, m, by) === null ? null : best - sign * meanOf(d, m, by)));
  });
}

// A row of the leaderboard as plain values; `sort` gives the numbers by which columns sort.
function rowsOf(by) {
  const across = study.across[by.name];
  const chief = control(by);
  const behind = relative(by);
  const rows = order(by).map((m, i) => {
    const at = across ? across.methods.indexOf(m) : -1;
    const other = across?.others?.indexOf(m) ?? -1;
    const sets = common(m, chief, by);
    const each = sets.map((d) => (by.greater ? 1 : -1) * (meanOf(d, m, by) - meanOf(d, chief, by)));
    const one = sets.length === 1 ? paired(sets[0], m, chief, by) : null;
    return {
      m, place: 1 + (at < 0 ? i : across.rank.filter((rank) => rank < across.rank[at]).length),
      rank: at < 0 ? null : across.rank[at], low: across?.low?.[at], high: across?.high?.[at],
      groups: (across?.p ? across.groups : []).flatMap((group, g) => (group.includes(m) ? [g] : [])),
      behind: behind.map((row) => row[m]),
      difference: one ?? meanInterval(each),
      verdict: other < 0 ? 0 : across.verdict[other], p: other < 0 ? null : across.p[other],
      record: record(m, chief, by), micro: typicalTime(m, by), marks: marksOf(m, across),
    };
  });
  return d3.sort(rows, (row) => row.m !== study.focus[0]); // the focus is pinned to the top
}

// Mean of differences on data sets with Student's 95 % interval, if there are at least three.
function meanInterval(each) {
  if (!each.length) return { difference: null };
  const difference = d3.mean(each), n = each.length;
  if (n < 3) return { difference };
  const half = study.t[n - 2] * d3.deviation(each) / Math.sqrt(n);
  return { difference, low: difference - half, high: difference + half };
}

// ---- the table

// What is drawn in a column, below its heading.
const how = (words) => h("i", { class: "how" }, words);
const INTERVALS = "bold: significant; [ ]: interval";
const RANKS = { width: 118, height: 21 }, STRIP = { width: 132, height: 21 }, TIME = { width: 36 };

function cell(attributes, ...children) { return h("td", attributes, ...children); }

function axis(box, scale, ticks, format = (x) => x) {
  return s("svg", { width: box.width, height: 14, class: "axis", "aria-hidden": "true" },
    ticks.map((tick) => s("text", { x: scale(tick), y: 11, "text-anchor": scale(tick) < 8 ? "start" : scale(tick) > box.width - 8 ? "end" : "middle" }, `${format(tick)}`)));
}

function rankCell(row, x, groups) {
  if (row.rank === null) return cell({ class: "t", "data-v": 1e9 + row.place, "data-text": "" }, "–");
  const y = RANKS.height / 2, left = x.range()[1] + 8;
  const interval = row.low === undefined ? "" : `, 95 % interval ${fixed(row.low, 1)} to ${fixed(row.high, 1)}`;
  return cell({ class: "t drawn", "data-v": row.rank, "data-text": fixed(row.rank, 2), "data-tip": `mean rank ${fixed(row.rank, 2)}${interval}` },
    s("svg", { width: RANKS.width, height: RANKS.height, role: "img", "aria-label": `mean rank ${fixed(row.rank, 2)}${interval}` },
      row.low === undefined ? [] : [s("line", { class: "interval", x1: x(row.low), x2: x(row.high), y1: y, y2: y })],
      s("circle", { class: "own", cx: x(row.rank), cy: y, r: 4 }),
      groups ? row.groups.map((g) => s("rect", { class: "group", x: left + 6 * g, y: 0, width: 3, height: RANKS.height })) : []));
}

function stripCell(row, x) {
  const known = row.behind.flatMap((value, d) => (value === null ? [] : [{ value, d }]));
  const svg = s("svg", { width: STRIP.width, height: STRIP.height, role: "img", "aria-label": `${fixed(d3.mean(known, (one) => one.value))} behind the best on average` });
  const fill = () => svg.replaceChildren(...known.map(({ value, d }) => stripMark(row.m, d, value, x)));
  if (large) later(svg, fill); else fill();
  return cell({ class: "t drawn", "data-v": d3.mean(known, (one) => one.value) ?? 1e9, "data-text": known.length ? fixed(-d3.mean(known, (one) => one.value)) : "" },
    svg);
}

// A mark of the strip: a dot, or a triangle beyond the end of the axis.
function stripMark(m, d, value, x) {
  const y = STRIP.height / 2, beyond = value > x.domain()[1];
  const mark = beyond ? { d: `M${x(value) - 5} ${y}l8 -5v10z` } : { cx: x(value), cy: y, r: 4 };
  const tip = `${label(datasets[d])}: ${fixed(meanOf(d, m))}${value > TIE ? `, ${fixed(value)} behind the best` : ", the best"}`;
  return s(beyond ? "path" : "circle", { class: "own strip", ...mark, "data-d": d, "data-tip": tip });
}

function timeCell(row, x) {
  if (row.micro === null) return cell({ "data-v": 1e18, "data-text": "" }, "–");
  return cell({ class: "drawn", "data-v": row.micro, "data-text": row.micro * MICROSECOND, "data-tip": `${seconds(row.micro)} a fit, tuning included` },
    h("span", { class: "bar" }, h("i", { style: `width: ${x(row.micro)}px` })), h("span", { class: "seconds" }, seconds(row.micro)));
}

function differenceCell(row, chief, words) {
  if (row.m === chief) return cell({ "data-v": 0, "data-text": "0" }, "–");
  const { difference } = row.difference;
  const how = row.verdict > 0 ? `${label(methods[chief])} is significantly better` : row.verdict < 0 ? `significantly better than ${label(methods[chief])}` : "no significant difference";
  const tip = row.p === null ? "" : `${how} (${pWords(row.p)}; ${words})`;
  const link = h("a", { class: "pair-link", href: address({ a: methods[row.m].name, b: methods[chief].name }), "data-a": row.m, "data-b": chief }, row.verdict ? h("b", {}, signed(difference)) : signed(difference));
  return cell({ class: row.verdict ? "clear" : null, "data-v": difference ?? -1e9, "data-tip": tip },
    link, row.difference.low === undefined ? null : h("i", {}, ` ${between(row.difference)}`));
}

function leaderboardTable(by) {
  const rows = rowsOf(by), chief = control(by), across = study.across[by.name];
  const several = datasets.filter((one) => !one.unavailable).length > 1;
  const worst = Math.max(across?.methods.length ?? 0, 2);
  const x = d3.scaleLinear([1, worst], [5, RANKS.width - 8 - 6 * Math.min(across?.groups.length ?? 0, 5) - 6]);
  const deficits = rows.filter((row) => !study.baseline.includes(row.m)).flatMap((row) => row.behind.filter((value) => value !== null));
  const farthest = Math.max(d3.quantile(deficits, 0.98) ?? 0, 10 * TIE);
  const strip = d3.scaleSqrt([0, farthest], [STRIP.width - 6, 6]).clamp(true);
  const times = rows.map((row) => row.micro).filter((micro) => micro !== null);
  const time = d3.scaleLog([Math.max(1, d3.min(times) ?? 1) / 2, Math.max(2, d3.max(times) ?? 2)], [1, TIME.width]);
  const groups = (across?.groups.length ?? 0) <= 5;
  const lone = datasets.findIndex((one) => !one.unavailable);
  const ticks = strip.ticks(4).filter((tick, i, all) => i === 0 || Math.abs(strip(tick) - strip(all[i - 1])) > 26).filter((tick) => tick <= farthest);
  const chiefName = label(methods[chief]);
  const heads = [
    h("th", { scope: "col", class: "method" }, "Method"),
    across && h("th", { scope: "col", class: "number up", title: "Mean rank over the data sets (1: always the best), with a 95 % bootstrap interval. Methods that share a grey bar do not differ significantly (Nemenyi’s test)." }, "Mean rank", across.p && groups && how("bars: not told apart"), axis(RANKS, x, [1, Math.round((1 + worst) / 2), worst])),
    several && h("th", { scope: "col", class: "number up", title: `Each dot is a data set: ${by.words} relative to its best method, at the right end, on a square-root scale. Triangles lie beyond the axis.` }, "Behind the best", axis(STRIP, strip, ticks, (tick) => (tick ? minus(`${-tick}`) : "best"))),
    !several && h("th", { scope: "col", class: "number", title: "Mean and standard deviation over the folds" }, by.title),
    h("th", { scope: "col", class: "number against", title: `Mean difference in ${by.words} to ${chiefName}, positive if better, with its 95 % interval; bold: significant${across?.p ? ` (${across.words})` : ""}` }, `Against ${chiefName}`, across?.p && how(INTERVALS)),
    several && h("th", { scope: "col", class: "number record", title: `Data sets on which the method is better than ${chiefName}${by.rope ? ` by more than ${by.rope}` : ""} / equal / worse` }, "Won / tied / lost"),
    h("th", { scope: "col", class: "seconds up", title: "Geometric mean over the data sets of the median time of a fit; the bars are logarithmic" }, "Fit time"),
    h("th", { scope: "col", class: "text", title: Object.values(MARKS).map(([mark, words]) => `${mark} ${words}`).join("; ") }, "Notes"),
  ].filter(Boolean);
  const body = rows.map((row) => {
    const own = h("tr", { class: [row.m === study.focus[0] && "pinned", row.rank === null && across && "faint"].filter(Boolean).join(" ") || null, style: `--own: ${colour(row.m)}` },
      h("th", { scope: "row" }, h("span", { class: "place" }, row.rank === null && across ? "" : row.place), methodName(row.m)),
      across && rankCell(row, x, groups),
      several && stripCell(row, strip),
      !several && scoreCell(lone, row.m, by),
      differenceCell(row, chief, across?.words),
      several && cell({ "data-v": row.record.wins - row.record.losses, "data-text": `${row.record.wins}/${row.record.ties}/${row.record.losses}` }, row.m === chief || !row.record.n ? "–" : `${row.record.wins}/${row.record.ties}/${row.record.losses}`),
      timeCell(row, time),
      cell({ class: "t marks" }, row.marks.map(([kind, words]) => h("abbr", { title: words, "data-tip": words }, MARKS[kind][0]))));
    return own;
  });
  return h("table", { class: "leaderboard" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
}

function drawLeaderboard() {
  const by = metric(), host = document.getElementById("leaderboard");
  const several = study.across[by.name];
  const box = h("div", { class: `tabled${methods.length > FIRST ? " long" : ""}`, id: "table-leaderboard", "data-address": true },
    h("h2", {}, `Leaderboard by ${by.words}`),
    h("div", { class: "scroll" }, leaderboardTable(by)),
    h("p", { class: "caption" }, legendOf(by, several)), testsOf(several));
  host.replaceChildren(unknownNote("metric", study.metrics), box);
  new Interactive(box);
  markSelected();
}

// The method whose view is open is not grey.
function markSelected() {
  const m = place(methods, view.get("method"));
  for (const row of document.querySelectorAll("#leaderboard tbody tr"))
    row.classList.toggle("selected", !leading.includes(m) && Number(row.querySelector(".name").dataset.m) === m);
}

function legendOf(by, across) {
  const words = [];
  if (across) words.push("Mean rank: the place of a method, 1 for the best, averaged over the data sets; ties share the mean of their places.");
  if (across?.low) words.push("Lines: its 95 % intervals, by a bootstrap over data sets.");
  const grey = across?.p && across.groups.length && across.groups.length <= 5;
  if (grey) words.push("Grey bars join methods that Nemenyi’s test of all pairs does not tell apart; tests against one method alone have more power.");
  words.push(`${across?.p ? `Bold: significantly different from ${label(methods[across.control])}, which chance alone would rarely show (p < .05, corrected for the number of comparisons). ` : ""}Brackets: 95 % intervals, each as if it were the only comparison${across?.p ? ", so chance can explain one without 0" : ""}.`);
  words.push("Differences are positive where the method of the row is better; choose one to compare the two. Triangles lie beyond the axis. Strips: how far each data set is behind the best, on a square-root scale. Fit time: the geometric mean over data sets of the median, with logarithmic bars.");
  if (methods.length > leading.length) words.push(`Colours: ${study.focus.length ? "the focus and " : ""}the leading methods.`);
  const used = new Set(d3.range(methods.length).flatMap((m) => marksOf(m, across).map(([kind]) => kind)));
  for (const kind of used) words.push(`${MARKS[kind][0]} ${MARKS[kind][1]}.`);
  return words.join(" ");
}

// The tests behind grey bars, bold numbers and brackets, for readers who want to know.
function testsOf(across) {
  if (!across?.p) return null;
  return h("details", { class: "caption" }, h("summary", {}, "Tests"),
    `Grey bars: Nemenyi’s test of all pairs. Bold: ${across.words}${across.test === "nemenyi" || across.chosen ? "" : `, of the ${plural(across.others.length, "comparison")} with ${label(methods[across.control])} alone, so it finds more`}. Brackets: Student’s intervals.`);
}

// ---- decision boundaries

const PANEL = { size: 180, gap: 12, title: 20, columns: 3 }; // pixels, and panels in a row of an exported figure
const classColour = (code) => `var(--c${code % 8})`;

function planePanel(plane, m, size) {
  const panel = plane.panels[m];
  const name = label(methods[m]);
  return h("figure", { class: "plane", "data-name": `boundary-${datasets[plane.dataset].name}-${methods[m].name}` },
    h("figcaption", {}, methodName(m), h("span", { class: "score" }, ` ${fixed(meanOf(plane.dataset, m))}`)),
    s("svg", { viewBox: "0 0 1000 1000", width: size, height: size, role: "img", "aria-label": `decision boundaries of ${name} on ${label(datasets[plane.dataset])}` },
      s("g", { transform: "matrix(1 0 0 -1 0 1000)" },
        s("rect", { width: 1000, height: 1000, fill: classColour(0), "fill-opacity": 0.2 }),
        panel.regions.flatMap((path, k) => [s("path", { d: path, fill: "var(--paper)", "fill-rule": "evenodd" }), s("path", { d: path, fill: classColour(k + 1), "fill-opacity": 0.22, "fill-rule": "evenodd" })]),
        plane.points.map(([px, py, code]) => s("circle", { cx: px, cy: py, r: 11, fill: classColour(code), "fill-opacity": 0.75 })),
        panel.lines.map((path) => s("path", { d: path, fill: "none", stroke: "var(--ink)", "stroke-opacity": 0.55, "stroke-width": 4 })))));
}

// Panels side by side, and their exports as one figure.
function planesFigure(plane, shown) {
  const panels = shown.map((m) => planePanel(plane, m, PANEL.size));
  const figure = h("div", {}, h("div", { class: "planes" }, panels));
  figure.append(exportsOf(figure, `boundaries-${datasets[plane.dataset].name}`, () => planesDrawing(panels)));
  return figure;
}

function planesDrawing(panels) {
  const columns = Math.min(PANEL.columns, panels.length), [width, height] = [PANEL.size + PANEL.gap, PANEL.size + PANEL.gap + PANEL.title];
  return s("svg", { width: columns * width, height: Math.ceil(panels.length / columns) * height }, panels.flatMap((panel, i) => {
    const [x, y] = [(i % columns) * width, Math.floor(i / columns) * height], copy = panel.querySelector("svg").cloneNode(true);
    setAll(copy, { x, y: y + PANEL.title });
    return [s("text", { x, y: y + 14, "font-size": "12px", fill: "var(--ink)" }, panel.querySelector("figcaption").textContent), copy];
  }));
}

function drawPlanes() {
  const host = document.getElementById("planes");
  if (!study.planes.length) { host.hidden = true; return; }
  const plane = study.planes.find((one) => datasets[one.dataset].name === view.get("plane")) ?? study.planes[0];
  const chosen = datasets[plane.dataset];
  const select = study.planes.length > 1 && h("select", { "aria-label": "Data set of the boundaries", onchange: (event) => go({ plane: event.target.value }) },
    study.planes.map((one) => h("option", { value: datasets[one.dataset].name, selected: one === plane }, label(datasets[one.dataset]))));
  const all = view.get("panels") === "all";
  const shown = all ? order().filter((m) => plane.panels[m]) : plane.shown;
  const total = Object.keys(plane.panels).length;
  const [first, second] = plane.axes;
  host.replaceChildren(
    h("h2", {}, "Decision boundaries on ", select || datasetName(plane.dataset)),
    planesFigure(plane, shown),
    h("p", { class: "caption" },
      chosen.classes.map((name, code) => h("span", { class: "key" }, h("span", { class: "dot", style: `background: ${classColour(code)}` }), name)),
      ` Lines: the boundary of each of ${plural(plane.panels[shown[0]].lines.length, "fold")}. `,
      plane.cut ? `A section along ${first} and ${second}. ` : first && `Right: ${first}; up: ${second}. `,
      total > plane.shown.length && h("button", { type: "button", onclick: () => go({ panels: all ? null : "all" }) }, all ? "Show fewer" : `Show all ${total} methods`)));
}
