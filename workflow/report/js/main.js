// The page's controls, and its parts in order.

const studyHeadline = [...document.getElementById("headline").childNodes];

// The headline by the chosen metric: that of the study is written already.
function drawMetric() {
  const host = document.getElementById("metric");
  host.replaceChildren(...study.metrics.map((one) => h("option", { value: one.name, selected: one === metric() }, one.title)));
  const [first, ...sentences] = metric().headline ?? [];
  document.getElementById("headline").replaceChildren(...(first ? [h("h1", {}, withCode(first)), ...sentences.map((text) => h("p", { class: "sentence" }, withCode(text)))] : studyHeadline));
  const note = document.getElementById("of-metric");
  note.hidden = metric() === study.metrics[0];
  note.textContent = `${first ? "" : `These sentences are about ${study.metrics[0].words}. `}The study tunes methods for ${study.metrics[0].words}; tuned for ${metric().words}, they may rank differently.`;
}

function addTheme() {
  const root = document.documentElement;
  const select = h("select", { class: "theme", "aria-label": "Theme" });
  for (const name of ["auto", "light", "dark"]) select.append(h("option", { value: name }, `Theme: ${name}`));
  const take = (name) => { if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name; };
  try { select.value = localStorage.getItem("theme") ?? "auto"; } catch { /* a browser may keep nothing for files */ }
  take(select.value);
  select.addEventListener("change", () => {
    take(select.value);
    try { localStorage.setItem("theme", select.value); } catch { /* likewise */ }
  });
  document.querySelector("nav")?.append(select);
}

// What is linked to is open.
function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  let target = document.getElementById(id);
  if (!target && id && !id.includes("=")) {
    const within = [...document.querySelectorAll("noscript")].find((box) => box.textContent.includes(`id="${id}"`));
    if (within) unfold(within.parentElement);
    target = document.getElementById(id);
  }
  for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
  const own = target?.closest("section.dataset")?.querySelector("details");
  if (own && target.tagName === "H3") own.open = true;
  if (target) target.scrollIntoView();
  if (target && view.size) history.replaceState(null, "", address({}));
}

// A tip beside the pointer for what has data-tip; dots of one data set light up together.
function addTips() {
  const tip = document.body.appendChild(h("div", { class: "tip", role: "status", hidden: true }));
  addEventListener("pointermove", (event) => {
    const target = event.target.closest?.("[data-tip]");
    tip.hidden = !target?.dataset.tip;
    for (const lit of document.querySelectorAll(".lit")) if (lit.dataset.d !== target?.dataset.d) lit.classList.remove("lit");
    if (tip.hidden) return;
    if (target.dataset.d !== undefined) for (const same of document.querySelectorAll(`.strip[data-d="${target.dataset.d}"]`)) same.classList.add("lit");
    tip.textContent = target.dataset.tip;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${event.clientY + height + 24 > innerHeight ? event.clientY - height - 10 : event.clientY + 16}px`;
  });
}

document.getElementById("metric").addEventListener("change", (event) => go({ metric: event.target.value === study.metric ? null : event.target.value }));
// Names keep the rest of the view, whatever it was when they were written.
addEventListener("click", (event) => {
  const name = event.target.closest?.("a[data-m], a[data-d], a[data-a]");
  if (!name || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (name.dataset.a) comparePair(name.dataset.a, name.dataset.b);
  else go(name.dataset.m === undefined ? { data: datasets[name.dataset.d].name } : { method: methods[name.dataset.m].name });
});
part(["metric"], drawMetric);
part(["metric"], drawLeaderboard);
part(["method"], markSelected);
part(["metric", "plane", "panels"], drawPlanes);
addTips();
addTheme();

furnish(document);

const closed = [];
addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll("details:not([open])")) { closed.push(box); box.open = true; }
});
addEventListener("afterprint", () => { for (const box of closed.splice(0)) box.open = false; });
addEventListener("hashchange", openTarget);
if (location.hash) openTarget();
reveal(new Set(view.keys()));
document.documentElement.dataset.drawn = "yes";
