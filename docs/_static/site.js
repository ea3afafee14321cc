// What the theme lacks: wide tables scroll by the keyboard, and toggles of the sidebar have names.
addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("main table"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  for (const toggle of document.querySelectorAll("summary:has(.toctree-toggle)"))
    toggle.ariaLabel = "Show or hide subpages";
});
