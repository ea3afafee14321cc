// All methods over all data sets: who beats whom, score against cost, and what the conclusion depends on.

const MATRIX = 40; // methods in the matrix, until all are asked for
const WRITTEN = 16; // methods, up to which the cells of the matrix have numbers where they fit
const NARROW = 560; // pixels, below which the names above the matrix are upright and short
const MIN_SECONDS = 10; // microseconds; shorter fits are not told apart

// ---- win rates

// The share of data sets on which a is better than b; a tie is half.
const winRate = ({ n, wins, ties }) => (n ? (wins + ties / 2) / n : null);
const shadeOf = (rate) => [rate === 0.5 ? "var(--rule)" : rate > 0.5 ? "var(--win)" : "var(--loss)", 0.05 + 1.1 * Math.abs(rate - 0.5)];

function winTip(i, j, by) {
  const found = record(i, j, by), test = testOf(i, j, by);
  const [first, second] = [i, j].map((m) => label(methods[m])), each = common(i, j, by).map((d) => ahead(d, i, j, by));
  const tested = test ? `; ${pWords(test.p)} after correction` : "";
  return `${first} against ${second}: better on ${found.wins}, equal on ${found.ties}, worse on ${found.losses} of ${plural(found.n, "data set")}; mean difference ${signed(d3.mean(each))}${tested}`;
}

function winMatrix(shown, by, room) {
  const k = shown.length, narrow = room < NARROW, usual = k <= WRITTEN ? 34 : k <= MATRIX ? 20 : 12, height = k <= WRITTEN ? 26 : usual;
  const font = Math.min(narrow ? 10 : 12, height - 1), weight = (m) => (leading.includes(m) ? 600 : 400), name = (m) => clipped(label(methods[m]), narrow ? 16 : 26);
  const longest = d3.max(shown, (m) => textWidth(name(m), weight(m), font)), degrees = narrow ? 90 : 48, slant = degrees * Math.PI / 180;
  const left = 8 + longest, top = 12 + font + longest * Math.sin(slant), right = longest * Math.cos(slant) + 2, cells = [];
  const size = Math.max(9, Math.min(usual, Math.floor((room - left - right) / k))), width = left + k * size + right, written = k <= WRITTEN && size >= 24;
  const svg = s("svg", { width, height: top + k * height + 4, viewBox: `0 0 ${width} ${top + k * height + 4}`, "font-size": font, role: "group", tabindex: 0, class: "wins",
    "aria-label": "Win rates of methods in rows against methods in columns. Arrow keys move, Enter compares the pair." });
  const rates = new Map(shown.flatMap((m, row) => shown.slice(row + 1).map((other) => [`${m} ${other}`, winRate(record(m, other, by))])));
  svg.addEventListener("pointerover", ({ target }) => { const cell = target.closest(".win"); if (cell) cell.dataset.tip ??= winTip(+cell.dataset.i, +cell.dataset.j, by); });
  shown.forEach((m, row) => {
    const link = (attributes) => s("a", { href: address({ method: methods[m].name }), "data-m": m, tabindex: -1 }, s("text", { fill: "currentColor", "font-weight": weight(m), ...attributes }, name(m)));
    svg.append(
      link({ x: left - 6, y: top + (row + 0.5) * height, dy: "0.35em", "text-anchor": "end" }),
      link({ transform: `translate(${left + (row + 0.5) * size + font / 3} ${top - 5}) rotate(${-degrees})` }));
    shown.forEach((other, column) => {
      if (m === other) return;
      const rate = rates.get(row < column ? `${m} ${other}` : `${other} ${m}`);
      if (rate === null) return;
      const own = row < column ? rate : 1 - rate, at = { x: left + column * size, y: top + row * height }, clear = testOf(m, other, by)?.p < SIGNIFICANT, [fill, opacity] = shadeOf(own);
      const box = s("g", { class: "win", "data-i": m, "data-j": other },
        s("rect", { ...at, width: size - 1, height: height - 1, fill, "fill-opacity": opacity }),
        clear ? s("rect", { x: at.x + 1, y: at.y + 1, width: size - 3, height: height - 3, fill: "none", stroke: "currentColor", "stroke-width": 2 }) : [],
        written ? s("text", { x: at.x + size / 2, y: at.y + height / 2, dy: "0.35em", "text-anchor": "middle", fill: "currentColor", "font-weight": clear ? 700 : null }, `${Math.round(100 * own)}`) : []);
      cells.push(box);
      svg.append(box);
    });
  });
  svg.append(s("rect", { class: "cursor", width: size - 1, height: height - 1, fill: "none", stroke: "var(--link)", "stroke-width": 2, visibility: "hidden" }));
  followKeys(svg, cells, shown);
  return svg;
}

// Shows the tip of an element, as if the pointer were over it.
function point(element) {
  const { left, bottom } = element.getBoundingClientRect();
  for (const type of ["pointerover", "pointermove"]) element.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: left, clientY: bottom }));
}

// The matrix is one stop of the keyboard; arrow keys move within it.
function followKeys(svg, cells, shown) {
  const cursor = svg.querySelector(".cursor"), steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const at = new Map(cells.map((cell) => [`${shown.indexOf(+cell.dataset.i)} ${shown.indexOf(+cell.dataset.j)}`, cell]));
  let [row, column] = [0, 1];
  const move = () => {
    const cell = at.get(`${row} ${column}`), box = cell.querySelector("rect");
    for (const name of ["x", "y"]) cursor.setAttribute(name, box.getAttribute(name));
    cursor.setAttribute("visibility", "visible");
    point(cell);
  };
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter") comparePair(shown[row], shown[column]);
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const inside = () => row >= 0 && column >= 0 && row < shown.length && column < shown.length;
    const before = [row, column];
    do { row += step[0]; column += step[1]; } while (inside() && !at.has(`${row} ${column}`));
    if (!inside()) [row, column] = before;
    move();
  });
  svg.addEventListener("focus", () => { if (svg.matches(":focus-visible") && cells.length) move(); });
  svg.addEventListener("blur", () => { cursor.setAttribute("visibility", "hidden"); point(document.body); });
  svg.addEventListener("click", ({ target }) => { const cell = target.closest(".win"); if (cell) comparePair(+cell.dataset.i, +cell.dataset.j); });
}

function significantPairs({ methods: ranked, pairs_words: ofPairs, words, control: chief }, by) {
  const clear = d3.sum(ranked, (m, i) => d3.sum(ranked.slice(i + 1), (other) => testOf(m, other, by).p < SIGNIFICANT));
  const test = words && words !== ofPairs ? `${ofPairs}; against ${label(methods[chief])}: ${words}` : ofPairs;
  return clear ? `Framed: a significant difference, of ${plural(clear, "pair")} (${test}). ` : `No pair differs significantly (${test}). `;
}

function winFigure(by, width) {
  const across = study.across[by.name];
  const ranked = order(by).filter((m) => datasets.some((_, d) => meanOf(d, m, by) !== null)), all = view.get("matrix") === "all";
  const shown = all ? ranked : ranked.slice(0, MATRIX), matrix = winMatrix(shown, by, width);
  const key = [0, 0.25, 0.5, 0.75, 1].map((rate) => {
    const [fill, opacity] = shadeOf(rate);
    return h("span", { class: "key" }, h("span", { class: "dot", style: `background: ${fill}; opacity: ${opacity}` }), `${100 * rate} %`);
  });
  const caption = [
    ...key, `Share of ${across ? plural(across.datasets.length, "independent data set") : "data sets of both"} on which the method of the row has the better ${by.words}${matrix.querySelector(".win text") ? ", in percent" : ""}; a tie${by.rope ? `, within ${by.rope},` : ""} counts half. Methods are in the order of their ${across ? "mean ranks" : "mean scores"}. `,
    across && significantPairs(across, by),
    "Choose a cell to compare its two methods.",
  ].filter(Boolean);
  const figure = plotFigure("win-rates", `Win rates by ${by.words}`, caption, matrix);
  if (ranked.length > MATRIX) figure.prepend(h("button", { type: "button", onclick: () => go({ matrix: all ? null : "all" }) }, all ? `Show the best ${MATRIX} methods` : `Show all ${ranked.length} methods`));
  return figure;
}

// ---- score against cost

// Methods that are better than all cheaper ones; less is better in both.
function frontOf(points) {
  const front = [];
  for (const one of d3.sort(points, (x, y) => x.time - y.time || x.score - y.score))
    if (!front.length || one.score < front.at(-1).score - 1e-12) front.push(one);
  return front;
}

const SCORES = {
  rank: { title: "mean rank", text: (x) => `mean rank ${fixed(x, 2)}` },
  behind: { title: "behind the best", text: (x, by) => `${by.words} ${fixed(x)} behind the best on average` },
};

function costPoints(by, kind) {
  const across = study.across[by.name], behind = relative(by), sets = independent(by);
  return d3.range(methods.length).flatMap((m) => {
    const known = sets.map((d) => behind[d][m]).filter((x) => x !== null), at = across?.methods.indexOf(m) ?? -1;
    const micro = typicalTime(m, by), score = kind === "rank" ? (at < 0 ? null : across.rank[at]) : known.length ? d3.mean(known) : null;
    return micro === null || score === null ? [] : [{ m, time: Math.max(MIN_SECONDS, micro), score, whole: known.length === sets.length }];
  });
}

// Places labels so that none covers another label or a mark: the first of a few places beside their marks that is
// free; without any, a label is left out, and the mark has its tip.
function placeLabels(marks, corners, named, [minX, maxX, maxY]) {
  const lines = d3.pairs(corners).flatMap(([from, to]) => [[from.x, from.y - 1, to.x, from.y + 1], [to.x - 1, to.y, to.x + 1, from.y]]);
  const taken = [...lines, ...marks.map(({ x, y }) => [x - 4, y - 4, x + 4, y + 4])];
  return named.flatMap((one) => {
    const long = textWidth(one.name, one.weight);
    const places = [-5, 4, 15, -18, 28, 41, 54].flatMap((dy) => [["end", -7, dy], ["start", 7, dy]]);
    for (const [anchor, dx, dy] of places) {
      const left = one.x + dx - (anchor === "end" ? long : anchor === "middle" ? long / 2 : 0), base = one.y + dy;
      const box = [left, base - 10, left + long, base + 2];
      const free = box[0] >= minX && box[2] <= maxX && box[1] >= 0 && box[3] <= maxY && taken.every((other) => box[0] > other[2] || box[2] < other[0] || box[1] > other[3] || box[3] < other[1]);
      if (!free) continue;
      taken.push(box);
      return [{ ...one, anchor, dx, dy }];
    }
    return [];
  });
}

function costPlot(by, kind, points, front, width) {
  const height = Math.min(440, Math.max(300, width * 0.6)), title = kind === "rank" ? "mean rank" : `${by.words} behind the best, mean over data sets`;
  const positive = points.map((one) => one.score).filter((x) => x > 0);
  const constant = kind === "behind" ? Math.max(d3.median(positive) ?? 1, TIE) : 1;
  const margin = { left: 48, right: 16, top: 36, bottom: 42 };
  const [fastest, slowest] = d3.extent(points, (one) => one.time * MICROSECOND);
  const room = Math.max(1.2, (slowest / fastest) ** 0.06);
  const mantissas = slowest / fastest > 30 ? [1] : [1, 2, 5];
  const svg = Plot.plot(look({
    width, height, marginLeft: margin.left, marginRight: margin.right, marginTop: margin.top, marginBottom: margin.bottom,
    x: { type: "log", domain: [fastest / room, slowest * room], label: "time of a fit, tuning included →", labelAnchor: "right", labelArrow: "none", labelOffset: 36, ticks: 4, tickFormat: (x) => (mantissas.includes(Number(x.toExponential(0)[0])) ? seconds(x / MICROSECOND) : ""), grid: false },
    y: { type: kind === "rank" ? "linear" : "symlog", constant, reverse: true, domain: padded(d3.extent(points, (one) => one.score), constant, kind), label: null, ticks: kind === "rank" ? 6 : niceTicks(d3.max(points, (one) => one.score), constant), tickFormat: (x) => fixed(x, 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""), grid: true },
    marks: [
      Plot.text([`↑ ${title}`], { frameAnchor: "top-left", dx: -margin.left, dy: -margin.top, lineAnchor: "top" }),
      front.length > 1 ? Plot.line(front, { x: (one) => one.time * MICROSECOND, y: "score", curve: "step-after", stroke: "var(--muted)", strokeWidth: 1.2 }) : null,
      Plot.dot(points, { x: (one) => one.time * MICROSECOND, y: "score", r: (one) => (front.includes(one) ? 5 : 4), sort: null, fill: (one) => (one.whole ? colour(one.m) : "var(--paper)"), stroke: (one) => colour(one.m), strokeWidth: 1.5 }),
    ].filter(Boolean),
  }));
  const x = svg.scale("x"), y = svg.scale("y");
  const at = (one) => ({ m: one.m, name: clipped(label(methods[one.m]), 28), weight: front.includes(one) ? 600 : 400, x: x.apply(one.time * MICROSECOND), y: y.apply(one.score) });
  const marks = points.map(at), others = points.filter((one) => !front.includes(one) && leading.includes(one.m));
  for (const one of placeLabels(marks, front.map(at), [...front, ...others].map(at), [margin.left, width, height - margin.bottom]))
    svg.append(Math.abs(one.dy) > 16 ? s("line", { x1: one.x, y1: one.y, x2: one.x + one.dx, y2: one.y + one.dy - 4, stroke: "var(--muted)" }) : "",
      s("a", { href: address({ method: methods[one.m].name }), "data-m": one.m }, s("text", { x: one.x + one.dx, y: one.y + one.dy, "text-anchor": one.anchor, fill: "var(--ink)", "font-size": 12, "font-weight": one.weight }, one.name)));
  svg.querySelectorAll("[aria-label=dot] circle").forEach((dot, i) => {
    dot.dataset.tip = `${label(methods[points[i].m])}: ${SCORES[kind].text(points[i].score, by)}, ${seconds(points[i].time)} a fit${points[i].whole ? "" : "; no score on some data set"}`;
    dot.dataset.m = points[i].m;
    dot.classList.add("goes");
    dot.addEventListener("click", () => go({ method: methods[points[i].m].name }));
  });
  return svg;
}

// The range of scores with some room at both ends, on the scale of the axis.
function padded([low, high], constant, kind) {
  if (kind === "rank") { const room = 0.06 * (high - low) || 0.5; return [low - room, high + room]; }
  const scale = d3.scaleSymlog([low, high], [0, 1]).constant(constant);
  return high > low ? [scale.invert(-0.08), scale.invert(1.06)] : [low - constant, high + constant];
}

// Round values of a scale that is linear up to a constant and logarithmic beyond.
function niceTicks(high, constant) {
  const step = 10 ** Math.floor(Math.log10(constant));
  const round = [0, ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((x) => x * step)].filter((x) => x <= high * 1.01);
  const scale = d3.scaleSymlog([0, high], [0, 300]).constant(constant);
  return round.reduce((shown, x) => (shown.length && scale(x) - scale(shown.at(-1)) < 22 ? shown : [...shown, x]), []);
}

function costFigure(by, width) {
  const kind = view.get("score") === "behind" || !study.across[by.name] ? "behind" : "rank";
  const points = costPoints(by, kind), front = frontOf(points.filter((one) => one.whole));
  if (!points.length) return null;
  const names = front.map((one) => label(methods[one.m]));
  const caption = [
    `${kind === "rank" ? "Mean rank" : `How far the mean ${by.words} is behind the best of each data set`} against the time of a fit, the geometric mean of its medians, on ${plural(independent(by).length, "independent data set")}. `,
    !names.length ? "" : names.length > 1 ? `The line is the front: no method is both better and faster than one of ${names.join(", ")}.` : `No method is both better and faster than ${names[0]}.`,
    points.some((one) => !one.whole) ? " Hollow: no score on some data set, so not on the front." : "",
  ].join("");
  const figure = plotFigure("score-and-cost", "Score against cost", caption, costPlot(by, kind, points, front, width));
  const choice = h("select", { onchange: (event) => go({ score: event.target.value === "rank" ? null : event.target.value }) },
    Object.entries(SCORES).map(([name, { title }]) => h("option", { value: name, selected: name === kind }, title)));
  if (study.across[by.name]) figure.prepend(h("label", { class: "choice-of-score" }, "Score: ", choice));
  return figure;
}

// ---- sensitivity

// One row for the study's own comparison and each variation of it; those that leave out one data set and change nothing
// are one row.
function variations() {
  const [own, ...others] = study.sensitivity, best = own?.best ?? [];
  const rows = others.map((one) => ({ ...one, same: one.best.some((m) => best.includes(m)) }));
  const dull = rows.filter((one) => one.same && /^without /.test(one.what) && one.datasets === own.datasets - 1);
  if (dull.length < 3) return [{ ...own, same: true }, ...rows];
  const one = { what: `without any one of ${dull.length === own.datasets ? "the" : "another"} ${dull.length} data sets`, datasets: own.datasets - 1, best, same: true };
  return [{ ...own, same: true }, ...rows.filter((row) => !dull.includes(row)), one];
}

function sensitivityFigure(width) {
  const rows = variations(), changed = rows.filter((one) => !one.same).length;
  const winners = [...new Set(rows.flatMap((one) => one.best))], step = Math.min(28, Math.max(14, (width - 330) / winners.length));
  const words = (one, i) => clipped(i ? one.what : `the study: by ${one.what}`, width >= 520 ? 44 : 26), names = (one) => clipped(one.best.map((m) => label(methods[m])).join(", "), 40);
  const left = 10 + d3.max(rows, (one, i) => textWidth(words(one, i), one.same && i ? 400 : 600)), size = 22, right = left + step * winners.length + 8;
  const height = size * rows.length + 6, total = right + d3.max(rows, (one) => textWidth(names(one), one.same ? 400 : 600)) + 2;
  const svg = s("svg", { width: total, height, viewBox: `0 0 ${total} ${height}`, "font-size": 12, role: "img", "aria-label": `Best methods of ${plural(rows.length, "variation")} of the comparison` },
    winners.map((_, i) => s("line", { x1: left + (i + 0.5) * step, x2: left + (i + 0.5) * step, y1: 4, y2: height - 4, stroke: "var(--rule)" })),
    rows.flatMap((one, i) => {
      const y = 3 + (i + 0.5) * size, fill = one.same ? "currentColor" : "var(--warn)", weight = one.same ? null : 600;
      return [
        s("text", { x: left - 8, y, dy: "0.35em", "text-anchor": "end", fill: i ? fill : "currentColor", "font-weight": i ? weight : 600 }, words(one, i)),
        ...one.best.map((m) => s("circle", { cx: left + (winners.indexOf(m) + 0.5) * step, cy: y, r: 5, fill: one.same ? colour(m) : "var(--warn)", "data-tip": `${one.what}: ${label(methods[m])} has the best mean rank` })),
        s("text", { x: right, y, dy: "0.35em", fill, "font-weight": weight }, names(one)),
      ];
    }));
  const own = rows[0].best.map((m) => label(methods[m])).join(", ");
  const caption = `The method of the best mean rank when one thing is changed, each in a column of its own. ${changed ? `${plural(changed, "variation")} of ${rows.length - 1}, in colour, ${changed === 1 ? "has" : "have"} another best method than ${own}.` : `${own} ${rows[0].best.length === 1 ? "stays" : "stay"} the best in all.`}`;
  return plotFigure("sensitivity", "What the conclusion depends on", caption, svg);
}

// ---- ratings

function ratingsFigure(width) {
  const rows = study.ratings.map(([m, value, low = null, high = null]) => ({ m, value, low, high, words: `${fixed(value, 0)}${low === null ? "" : ` [${fixed(low, 0)}, ${fixed(high, 0)}]`}` }));
  const intervals = rows[0].low === null ? "" : "; lines: 95 % intervals of a bootstrap over data sets";
  return plotFigure("ratings", `Ratings by ${study.metrics[0].words}`, `Bradley–Terry ratings from pairwise wins over ${plural(independent(study.metrics[0]).length, "independent data set")}, a tie counting half (normal prior of sd 2 in log-odds)${intervals}. 1000 is the mean; +400 wins 10 of 11.`, rowsPlot(rows, width, { label: "rating" }));
}

{
  const host = document.getElementById("across-view");
  const draw = () => {
    const by = metric();
    if (independent(by).length < 2) { host.replaceChildren(); return; }
    const width = host.clientWidth || 800, figures = [winFigure(by, width), study.sensitivity.length > 1 && sensitivityFigure(width), costFigure(by, Math.min(width, 560)), study.ratings.length && ratingsFigure(Math.min(width, 560))].filter(Boolean);
    host.replaceChildren(h("div", { class: "abreast" }, figures));
    for (const figure of figures) figure.style.width = `min(100%, max(26rem, ${Math.ceil(figure.querySelector(".scroll > svg").getBoundingClientRect().width) + 2}px))`;
  };
  if (host) {
    part(["metric", "matrix", "score"], draw, host);
    redrawAtWidth(host, draw);
  }
}
