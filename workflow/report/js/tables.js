// Tables: sort, filter, columns and copies. Without scripts they show all rows in their first order.

const SHOWN = 25; // rows of a table of class long, until all are asked for
const LONG = 8; // rows, from which on a table can be filtered
const NUMBERS = ["number", "p", "power", "seconds", "count"];
const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function made(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function button(text, attributes, act) {
  const element = made("button", text, { type: "button", ...attributes });
  element.addEventListener("click", act);
  return element;
}

const kind = (heading) => NUMBERS.find((name) => heading.classList.contains(name)) ? "number" : "text";

// The number that a cell sorts by; NaN where it has none.
function numeral(cell) {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim().replaceAll(",", "").replace("−", "-");
  return text.startsWith("∞") ? Infinity : text.startsWith("-∞") ? -Infinity : parseFloat(text);
}

// Each table keeps its rows, the order they are in, and what is typed into its filter.
class Interactive {
  constructor(box) {
    this.box = box;
    this.name = box.id.replace(/^table-/, "");
    this.table = box.querySelector("table");
    this.body = this.table.tBodies[0];
    this.rows = [...this.body.rows];
    this.first = [...this.rows]; // the order of the page
    this.headings = [...this.table.tHead.rows[0].cells];
    this.all = !box.classList.contains("long");
    this.typed = "";
    this.tools = made("div", "", { class: "tools" });
    box.querySelector(".scroll").before(this.tools);
    this.addChoice();
    if (this.rows.length > LONG) this.addFilter("filter", "Filter rows", "method, data set", (text) => { this.typed = text; });
    if (this.headings.length > LONG && this.table.dataset.choices) this.addFilter("columns", "Filter columns", "data set", (text) => this.showColumns(text));
    this.status = made("span", "", { class: "status-of-rows", role: "status" });
    this.more = button("Show all", { class: "more-rows" }, () => { this.all = true; this.show(); });
    this.tools.append(this.status, this.more);
    this.tools.append(button("CSV", { class: "csv", title: "Save this table as CSV, as it is shown" }, () => this.csv()));
    this.headings.forEach((heading, place) => this.addSort(heading, place));
    this.show();
    // Many cells keep the widths of their columns, which a browser would measure again at each sort.
    if (this.rows.length * this.headings.length > 2000) {
      for (const heading of this.headings) heading.style.width = `${heading.offsetWidth}px`;
      this.table.style.tableLayout = "fixed";
      this.table.style.width = `${this.table.offsetWidth}px`;
    }
  }

  addSort(heading, place) {
    const press = button("", { class: "sort" }, () => this.sort(place));
    press.append(...heading.childNodes);
    heading.append(press);
  }

  addFilter(name, label, hint, take) {
    const field = made("input", "", { type: "search", class: name, "aria-label": label, placeholder: `${label}: ${hint}` });
    field.addEventListener("input", () => { take(field.value.trim().toLowerCase()); this.show(); });
    this.tools.append(field);
  }

  addChoice() {
    if (!this.table.dataset.choices) return;
    this.choices = JSON.parse(document.getElementById(this.table.dataset.choices).textContent);
    const select = made("select", "", { class: "choice", "aria-label": "Metric" });
    for (const name of Object.keys(this.choices)) select.append(made("option", name, { value: name }));
    select.addEventListener("change", () => this.choose(select.value));
    this.tools.append(select);
  }

  choose(name) {
    const { mean, sd, low, high, best, clear, partial } = this.choices[name];
    const shown = (value) => typeof value === "number" ? (value / 1000).toFixed(3).replace("-", "−") : value ?? "–";
    const marks = new Map();
    for (const [mark, places] of Object.entries({ best, clear, partial }))
      for (const place of places) marks.set(place, `${marks.get(place) ?? ""} ${mark}`.trim());
    let place = 0;
    for (const row of this.first)
      for (const cell of [...row.cells].slice(1)) {
        const mark = marks.get(place) ?? "";
        cell.className = mark;
        cell.replaceChildren(/best|clear/.test(mark) ? made("b", shown(mean[place])) : shown(mean[place]));
        if (sd[place] !== null) cell.append(" ", made("i", `± ${shown(sd[place])}`));
        if ((low?.[place] ?? null) !== null) cell.append(" ", made("i", `[${shown(low[place])}, ${shown(high[place])}]`));
        place += 1;
      }
    this.chosen = name;
    const title = this.box.firstElementChild;
    title.textContent = title.textContent.replace(/by [^,]*$/, `by ${name}`);
    this.headings.forEach((heading) => heading.removeAttribute("aria-sort"));
    this.rows = [...this.first];
    this.show();
  }

  sort(place) {
    const heading = this.headings[place];
    const numbers = kind(heading) === "number";
    const before = heading.getAttribute("aria-sort");
    const up = before ? before === "descending" : !heading.classList.contains("number") || heading.classList.contains("up");
    this.headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keys = new Map(this.rows.map((row) => [row, numbers ? numeral(row.cells[place]) : row.cells[place].textContent]));
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

  // Rows whose names have every word that was typed, the first of them if there are many.
  show() {
    const wanted = this.typed.split(/\s+/).filter(Boolean);
    const places = this.headings.flatMap((h, i) => (h.classList.contains("method") || h.classList.contains("dataset") || i === 0 ? [i] : []));
    const named = (row) => places.map((i) => row.cells[i].textContent.toLowerCase()).join(" ");
    const matching = this.rows.filter((row) => wanted.every((word) => named(row).includes(word)));
    const shown = new Set(this.all ? matching : matching.slice(0, SHOWN));
    for (const row of this.rows) if (row.hidden === shown.has(row)) row.hidden = !row.hidden;
    if (this.rows.some((row, place) => row !== this.body.rows[place])) this.body.append(...this.rows);
    this.more.hidden = shown.size === matching.length;
    this.status.textContent = shown.size < this.rows.length ? `${shown.size} of ${this.rows.length} shown` : "";
  }

  showColumns(text) {
    this.headings.forEach((heading, place) => {
      const hidden = place > 0 && !heading.textContent.toLowerCase().includes(text);
      heading.hidden = hidden;
      for (const row of this.rows) row.cells[place].hidden = hidden;
    });
  }

  csv() {
    const spread = this.headings.map((_, place) => this.rows.some((row) => row.cells[place].querySelector("i")));
    const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const head = this.headings.flatMap((heading, place) => {
      const title = heading.textContent.trim();
      return spread[place] ? [title, `${title} ±`] : [title];
    });
    const lines = this.rows.map((row) => [...row.cells].flatMap((cell, place) => {
      const [value, more] = plain(cell);
      return spread[place] ? [value, more] : [value];
    }));
    const text = [head, ...lines].map((line) => line.map(quoted).join(",")).join("\r\n");
    save(`${this.name}${this.chosen ? ` ${this.chosen}` : ""}.csv`, `\ufeff${text}\r\n`, "text/csv");
  }
}

// A cell's text, numbers with a hyphen for a minus, and nothing for a dash; and its spread or interval.
function plain(cell) {
  const spread = cell.querySelector("i");
  const long = cell.querySelector("details.long");
  const whole = long ? [...long.childNodes].slice(1).map((node) => node.textContent).join("") : cell.textContent;
  const text = (spread ? whole.slice(0, whole.length - spread.textContent.length) : whole).trim();
  const value = text === "–" ? "" : cell.dataset.v ?? (/^−[\d.∞]/.test(text) ? text.replace("−", "-") : text);
  return [value, spread ? spread.textContent.replace("± ", "").replaceAll("−", "-") : ""];
}
