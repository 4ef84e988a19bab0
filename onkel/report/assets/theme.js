"use strict";
// The report: light and dark, and print. Without a choice the page follows the system's setting.
document.documentElement.classList.add("scripted");

(function () {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // A page opened from disk may be denied storage; the choice then lasts as long as the page.
  function remembered() {
    try { return localStorage.getItem("onkel-theme"); } catch { return null; }
  }
  function remember(theme) {
    try { localStorage.setItem("onkel-theme", theme); } catch { /* see above */ }
  }
  function dark() {
    const chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : system.matches;
  }
  function tell() {
    button.setAttribute("aria-pressed", String(dark()));
  }

  const chosen = remembered();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    remember(root.dataset.theme);
    tell();
  });
  system.addEventListener("change", tell);
  // paper can't be clicked on
  window.addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
  tell();
})();
