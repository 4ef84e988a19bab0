// The report: all charts together: one legend that switches an algorithm everywhere, and what is on show.
(function () {
  const section = document.getElementById("charts");
  if (!section) return;
  const off = new Set();
  const isOn = (label) => !off.has(label);
  const charts = [...section.querySelectorAll("figure.chart")].map(
    (figure) => new Chart(figure, Drawing.charts[figure.dataset.chart], isOn));
  const groups = [...section.querySelectorAll(".chart-group")];
  const legend = document.getElementById("legend");
  const showAll = document.getElementById("show-all");
  const sizeRows = [...document.querySelectorAll(".size-row")];

  const switches = Drawing.labels.map((text, label) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "switch";
    button.title = "Click: on or off. Shift and click: this one alone.";
    button.append(Chart.sample(label), document.createTextNode(text));
    button.addEventListener("click", (event) => (event.shiftKey ? alone(label) : toggle(label)));
    for (const [kind, lit] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) {
      button.addEventListener(kind, () => light(lit ? text : null));
    }
    item.append(button);
    legend.append(item);
    return { item, button, label };
  });

  function toggle(label) {
    if (!off.delete(label)) off.add(label);
    refresh();
  }
  function alone(label) {
    const others = Drawing.labels.map((_, i) => i).filter((i) => i !== label);
    const already = isOn(label) && others.every((i) => off.has(i));
    off.clear();
    if (!already) others.forEach((i) => off.add(i));
    refresh();
  }
  function refresh() {
    for (const { button, label } of switches) button.setAttribute("aria-pressed", String(isOn(label)));
    for (const row of sizeRows) row.classList.toggle("off", off.has(Drawing.labels.indexOf(row.dataset.label)));
    showAll.hidden = !off.size;
    charts.forEach((chart) => chart.draw());
  }
  // The curve under a legend entry stands out; the others fade.
  function light(text) {
    section.classList.toggle("lit", text !== null);
    for (const element of section.querySelectorAll("[data-label]")) {
      element.classList.toggle("bright", element.dataset.label === text);
    }
  }
  showAll.addEventListener("click", () => { off.clear(); refresh(); });

  const KINDS = {
    convergence: "convergence", time: "time", rate_against_time: "rate against time",
    size: "model size", study: "parameter studies",
    metric: "metrics", roc: "ROC", reliability: "reliability", race: "the race",
  };
  const pickKind = document.getElementById("pick-kind");
  const pickDataset = document.getElementById("pick-dataset");
  const kinds = [...new Set(Drawing.charts.map((chart) => chart.kind))];
  pickKind.add(new Option("all curves", "*"));
  for (const kind of kinds) pickKind.add(new Option(KINDS[kind] || kind, kind));
  document.getElementById("kind-field").hidden = kinds.length < 2;
  // One data set at a time when all of them would be a long way to scroll.
  if (pickDataset && charts.length > 12) pickDataset.value = "0";

  function pick() {
    const kind = pickKind.value, dataset = pickDataset ? pickDataset.value : "*";
    for (const chart of charts) chart.figure.hidden = kind !== "*" && chart.data.kind !== kind;
    for (const group of groups) {
      const empty = !group.querySelector("figure:not([hidden])");
      group.hidden = empty || (dataset !== "*" && group.dataset.group !== dataset);
    }
    section.classList.toggle("multiples", kind !== "*" && dataset === "*");
    const drawn = charts.filter((chart) => chart.box.clientWidth);
    const inUse = new Set(drawn.flatMap((chart) => chart.data.series.map((s) => s.label)));
    for (const { item, label } of switches) item.hidden = !inUse.has(label);
    refresh();
  }
  pickKind.addEventListener("change", pick);
  if (pickDataset) pickDataset.addEventListener("change", pick);

  let waiting = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      for (const chart of charts) if (chart.box.clientWidth !== chart.drawnWidth) chart.draw();
    });
  });
  pick();
})();
