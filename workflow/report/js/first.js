// In the head, so that the browser lays out nothing that scripts replace: class js hides it. If the scripts fail, they
// replace nothing.
document.documentElement.classList.add("js");
addEventListener("DOMContentLoaded", () => {
  if (document.documentElement.dataset.drawn) return;
  document.documentElement.classList.remove("js");
  for (const box of document.querySelectorAll("noscript")) box.outerHTML = box.textContent;
});
