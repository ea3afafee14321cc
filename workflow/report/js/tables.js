// Tables: sort, filter, columns and copies of what is shown. Without scripts they show all rows in their first order.

const SHOWN = 25; // rows of a table of class long, until all are asked for
const LONG = 12; // rows or columns, from which on they can be filtered
const NUMBERS = ["number", "p", "power", "seconds", "ratio", "count"];
const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const isNumeric = (heading) => NUMBERS.some((name) => heading.classList.contains(name));

// What a heading or a cell says, in full and without drawings, spreads and the place of a row.
const textOf = (node) => node.nodeType === Node.TEXT_NODE ? node.data
  : node.matches("svg, i, summary, .place") ? "" : [...node.childNodes].map(textOf).join("");
const titleOf = (heading) => textOf(heading).trim();
const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");

// The number that a cell sorts by; NaN where it has none.
function numeral(cell) {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim().replaceAll(",", "").replace("−", "-");
  return text.startsWith("∞") ? Infinity : text.startsWith("-∞") ? -Infinity : parseFloat(text);
}

// A button that opens a box below it, which the browser closes by Escape or a click elsewhere; fill() gives its content.
function popup(text, title, fill) {
  const box = h("div", { class: "popup", popover: true });
  const press = h("button", { type: "button", class: "opens", title }, text);
  press.popoverTargetElement = box;
  box.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    const { left, right, bottom } = press.getBoundingClientRect(), width = document.documentElement.clientWidth;
    box.style.top = `${bottom + scrollY + 3}px`;
    Object.assign(box.style, left < width / 2 ? { left: `${left}px`, right: "auto" } : { left: "auto", right: `${width - right}px` });
    box.replaceChildren(...fill(box));
    box.querySelector("input, button").autofocus = true;
  });
  return [press, box];
}

// Each table keeps its rows, the order they are in, what is typed into its filter, and the columns that are hidden. A
// box with data-address keeps order and hidden columns in the address.
class Interactive {
  constructor(box) {
    box.dataset.ready = "yes";
    this.box = box;
    this.name = decodeURIComponent(box.id.replace(/^table-/, ""));
    this.table = box.querySelector("table");
    this.body = this.table.tBodies[0];
    this.rows = [...this.body.rows];
    this.first = [...this.rows]; // the order of the page
    this.headings = [...this.table.tHead.rows[0].cells];
    this.keys = this.headings.map((heading) => heading.dataset.key ?? slug(titleOf(heading)));
    this.all = !box.classList.contains("long");
    this.typed = "";
    this.hidden = new Set(this.headings.flatMap((heading, place) => (heading.classList.contains("folded") ? [place] : [])));
    this.tools = h("div", { class: "tools" });
    box.querySelector(".scroll").before(this.tools);
    if (this.rows.length >= LONG) this.tools.append(search("Filter rows", "filter", (text) => { this.typed = text; this.show(); }));
    this.status = h("span", { class: "status-of-rows", role: "status" });
    this.more = h("button", { type: "button", class: "more-rows", onclick: () => { this.all = true; this.show(); } }, "Show all");
    this.tools.append(this.status, this.more);
    if (this.headings.length > 2) this.tools.append(...popup("Columns", "Choose the columns to show", () => this.columnChoices()));
    this.tools.append(...popup("Copy", "Copy or save the rows and columns shown", (menu) => this.copies(menu)));
    this.headings.forEach((heading, place) => {
      const press = h("button", { type: "button", class: "sort", onclick: () => this.sort(place) }, ...heading.childNodes);
      heading.append(press);
    });
    if (box.dataset.address !== undefined) Interactive.addressed = this;
    this.show();
    // Many cells keep the widths of their columns, which a browser would measure again at each sort.
    if (this.rows.length * this.headings.length > 2000) {
      this.widths = this.headings.map((heading) => heading.offsetWidth);
      this.headings.forEach((heading, place) => { heading.style.width = `${this.widths[place]}px`; });
      this.table.style.tableLayout = "fixed";
      this.table.style.minWidth = "0";
    }
    this.hide(this.hidden);
    if (Interactive.addressed === this) this.restore();
  }

  // ---- sort and filter

  sort(place) {
    const heading = this.headings[place], before = heading.getAttribute("aria-sort");
    const up = before ? before === "descending" : !heading.classList.contains("number") || heading.classList.contains("up");
    if (Interactive.addressed === this) go({ sort: `${up ? "" : "-"}${this.keys[place]}` });
    else this.sortBy(place, up);
  }

  sortBy(place, up) {
    const heading = this.headings[place], numbers = isNumeric(heading);
    this.headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keys = new Map(this.rows.map((row) => [row, numbers ? numeral(row.cells[place]) : textOf(row.cells[place]).trim()]));
    const missing = (key) => Number.isNaN(key) || key === "–";
    const pinned = (row) => row.classList.contains("pinned");
    this.rows.sort((a, b) => {
      if (pinned(a) !== pinned(b)) return pinned(b) - pinned(a);
      const [x, y] = [keys.get(a), keys.get(b)];
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      const order = numbers ? (x === y ? 0 : x < y ? -1 : 1) : words.compare(x, y);
      return up ? order : -order;
    });
    this.show();
  }

  unsort() {
    this.headings.forEach((heading) => heading.removeAttribute("aria-sort"));
    this.rows = [...this.first];
    this.show();
  }

  // Rows whose names have every word that was typed, the first of them if there are many.
  show() {
    const wanted = this.typed.split(/\s+/).filter(Boolean);
    const places = this.headings.flatMap((heading, i) => (i === 0 || heading.matches(".method, .dataset") ? [i] : []));
    const named = (row) => places.map((i) => textOf(row.cells[i]).toLowerCase()).join(" ");
    const matching = wanted.length ? this.rows.filter((row) => { const name = named(row); return wanted.every((word) => name.includes(word)); }) : this.rows;
    const shown = new Set(this.all ? matching : matching.slice(0, SHOWN));
    for (const row of this.rows) if (row.hidden === shown.has(row)) row.hidden = !row.hidden;
    if (this.rows.some((row, place) => row !== this.body.rows[place])) this.body.append(...this.rows);
    this.more.hidden = shown.size === matching.length;
    this.status.textContent = shown.size < this.rows.length ? `${shown.size} of ${this.rows.length} shown` : "";
  }

  // ---- columns

  columnChoices() {
    const chosen = () => boxes.filter(({ field }) => !field.checked).map(({ place }) => place);
    const set = (checked) => { for (const { field, row } of boxes) if (!row.hidden) field.checked = checked; this.choose(chosen()); };
    const boxes = this.headings.map((heading, place) => {
      const field = h("input", { type: "checkbox", checked: !this.hidden.has(place), onchange: () => this.choose(chosen()) });
      return { place, field, title: titleOf(heading), row: h("label", {}, field, " ", titleOf(heading)) };
    }).slice(1); // rows keep their names
    return [
      boxes.length >= LONG && search("Find columns", "find", (text) => { for (const { row, title } of boxes) row.hidden = !title.toLowerCase().includes(text); }),
      h("div", { class: "both" }, h("button", { type: "button", onclick: () => set(true) }, "All"), h("button", { type: "button", onclick: () => set(false) }, "None")),
      ...boxes.map(({ row }) => row),
    ].filter(Boolean);
  }

  choose(places) {
    if (Interactive.addressed === this) go({ hide: places.length ? places.map((place) => this.keys[place]).join(" ") : null });
    else this.hide(new Set(places));
  }

  hide(hidden) {
    this.hidden = hidden;
    this.headings.forEach((heading, place) => {
      if (heading.hidden === hidden.has(place)) return;
      heading.hidden = hidden.has(place);
      for (const row of this.rows) row.cells[place].hidden = heading.hidden;
    });
    if (this.widths) this.table.style.width = `${d3.sum(this.widths, (width, place) => (hidden.has(place) ? 0 : width))}px`;
  }

  // The order and the columns that the address describes.
  restore() {
    const places = (view.get("hide") ?? "").split(" ").map((key) => this.keys.indexOf(key)).filter((place) => place > 0);
    this.hide(new Set(places));
    const sort = view.get("sort") ?? "", place = this.keys.indexOf(sort.replace(/^-/, ""));
    if (place < 0) this.unsort(); else this.sortBy(place, !sort.startsWith("-"));
  }

  // ---- copies

  copies(menu) {
    const items = Object.entries(FORMATS).map(([name, write]) => h("button", { type: "button", onclick: async () => {
      const { head, rows } = this.shown(), done = await copy(write(head, rows), menu);
      menu.hidePopover();
      this.status.textContent = done ? `Copied ${plural(rows.length, "row")} as ${name}` : "The browser does not let pages copy: save the CSV instead";
    } }, name));
    const file = h("button", { type: "button", class: "csv", onclick: () => {
      const { head, rows } = this.shown();
      save(`${this.name}.csv`, `\ufeff${FORMATS.CSV(head, rows)}`, "text/csv");
      menu.hidePopover();
    } }, "Save as CSV file");
    return [...items, file];
  }

  // The headings and cells of the rows and columns that are shown.
  shown() {
    const places = this.headings.flatMap((heading, place) => (heading.hidden ? [] : [place]));
    const head = places.map((place) => ({ title: titleOf(this.headings[place]), numeric: isNumeric(this.headings[place]), unit: this.headings[place].classList.contains("seconds") ? " (s)" : "" }));
    return { head, rows: this.rows.filter((row) => !row.hidden).map((row) => places.map((place) => contents(row.cells[place]))) };
  }
}

part(["sort", "hide"], () => Interactive.addressed?.restore());

const search = (label, name, take) => h("input", { type: "search", class: name, "aria-label": label, placeholder: label, oninput: (event) => take(event.target.value.trim().toLowerCase()) });

// What a cell says: its text, its exact value, spread and interval, and whether it is bold or the best.
function contents(cell) {
  const beside = [...cell.querySelectorAll("i")].map((one) => one.textContent.trim());
  const text = textOf(cell).trim() || cell.dataset.text || "–";
  return {
    text, value: cell.dataset.text ?? (text === "–" ? "" : cell.dataset.v ?? text),
    spread: beside.find((one) => one.startsWith("±"))?.slice(1).trim(),
    ends: beside.find((one) => one.startsWith("["))?.slice(1, -1).split(", "),
    bold: cell.classList.contains("clear"), best: cell.classList.contains("best"),
  };
}

// Copies text; where the browser refuses, by the command that pages opened from files may still use, from a field
// inside of `box`, as a popover keeps the focus.
async function copy(text, box) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = box.appendChild(h("textarea", { class: "offscreen", "aria-label": "Text to copy" }));
    field.value = text;
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

// ---- formats: (headings, rows of contents) → text

const NUMERAL = /^([<>] ?)?[+−-]?(\d[\d,]*(\.\d*)?|\.\d+)(e[+−-]?\d+)?$/;
const TEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "[": "{[}",
  "−": "$-$", "±": "$\\pm$", "×": "$\\times$", "✕": "$\\times$", "≠": "$\\neq$", "≤": "$\\leq$", "≥": "$\\geq$", "∞": "$\\infty$", "∅": "$\\emptyset$", "≡": "$\\equiv$", "µ": "$\\mu$", "α": "$\\alpha$", "²": "$^2$",
  "†": "\\dag{}", "–": "--", "—": "---", "…": "\\ldots{}", "’": "'", "\u00a0": "~", "\n": " ",
};
const tex = (text) => text.replace(/_|[^\w ]/g, (found) => TEX[found] ?? ("&%$#_".includes(found) ? `\\${found}` : found));
const math = (text) => text.replaceAll("−", "-").replaceAll(",", "{,}").replace("∞", "\\infty").replace(/e\+?(-?)0*(\d+)/, " \\cdot 10^{$1$2}");

function texCell({ text, spread, ends, bold, best }) {
  const numeric = NUMERAL.test(text);
  let shown = numeric ? math(text) : tex(text);
  if (bold) shown = numeric ? `\\mathbf{${shown}}` : `\\textbf{${shown}}`;
  if (best) shown = `\\underline{${shown}}`;
  if (!numeric) return shown;
  return `$${shown}${spread ? ` \\pm ${math(spread)}` : ""}${ends ? `\\ [${ends.map(math).join(", ")}]` : ""}$`;
}

// Markdown that shows the text as it is.
const literal = (text) => text.replace(/[\\`*|<[]|(?<!\w)_|_(?!\w)/g, "\\$&").replaceAll("\n", " ");
const markdownCell = ({ text, spread, ends, bold }) =>
  [bold ? `**${literal(text)}**` : literal(text), spread && `± ${spread}`, ends && `[${ends.join(", ")}]`].filter(Boolean).join(" ");

// Numbers as other programs read them: with a hyphen for a minus, and no more digits than a reader needs.
function plain(text) {
  if (!NUMERAL.test(text)) return text.replace(/^−(?=∞)/, "-");
  const number = text.replaceAll(",", "").replaceAll("−", "-").replace(/^\+/, "");
  return number.length > 12 ? String(Number(Number(number).toPrecision(6))) : number;
}
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const FORMATS = {
  CSV(head, rows) {
    const has = (part, place) => rows.some((row) => row[place][part]);
    const lines = [
      head.flatMap(({ title, unit }, i) => [title + unit, ...(has("spread", i) ? [`${title} ±`] : []), ...(has("ends", i) ? [`${title} low`, `${title} high`] : [])]),
      ...rows.map((row) => row.flatMap(({ value, spread = "", ends = ["", ""] }, i) => [plain(value), ...(has("spread", i) ? [plain(spread)] : []), ...(has("ends", i) ? ends.map(plain) : [])])),
    ];
    return lines.map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
  },
  Markdown(head, rows) {
    const line = (cells) => `| ${cells.join(" | ")} |\n`;
    return line(head.map(({ title }) => literal(title))) + line(head.map(({ numeric }) => (numeric ? "---:" : "---"))) + rows.map((row) => line(row.map(markdownCell))).join("");
  },
  LaTeX(head, rows) {
    const line = (cells) => `${cells.join(" & ")} \\\\\n`;
    return `% \\usepackage{booktabs}\n\\begin{tabular}{${head.map(({ numeric }) => (numeric ? "r" : "l")).join("")}}\n\\toprule\n`
      + `${line(head.map(({ title }) => tex(title)))}\\midrule\n${rows.map((row) => line(row.map(texCell))).join("")}\\bottomrule\n\\end{tabular}\n`;
  },
};
