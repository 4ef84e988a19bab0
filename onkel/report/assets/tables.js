// The report: tables that sort by a click on a heading and show only the rows that pass the filter.
(function () {
  const filters = document.getElementById("filters");
  if (!filters) return;
  const tables = [...document.querySelectorAll("article.comparison")].map((article) => ({
    article,
    element: article.querySelector("table"),
    heads: [...article.querySelectorAll("tr.heads th")],
    none: article.querySelector(".none"),
    // a row and its explanation are a body of the table
    rows: [...article.querySelectorAll("tbody")].map((element, place) => ({
      element,
      place,
      text: element.textContent.toLowerCase(),
      agrees: element.className,
    })),
  }));

  // A row's key in a column: a number, a text, or null where there is nothing.
  function keyOf(row, index, numeric) {
    const cell = row.element.rows[0].cells[index];
    if (numeric) return cell.dataset.key === undefined ? null : Number(cell.dataset.key);
    return cell.textContent.trim() || null;
  }
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function sort(table, index, descending) {
    const numeric = table.heads[index].dataset.numeric === "1";
    const sign = descending ? -1 : 1;
    const keyed = table.rows.map((row) => [keyOf(row, index, numeric), row]);
    keyed.sort(([a, one], [b, other]) => {
      if (a === null || b === null) { // what is missing comes last, either way
        return (a === null) - (b === null) || one.place - other.place;
      }
      const order = numeric ? a - b : words.compare(a, b);
      return sign * order || one.place - other.place;
    });
    table.element.append(...keyed.map(([, row]) => row.element));
    table.heads.forEach((head, i) => {
      head.setAttribute("aria-sort", i !== index ? "none" : descending ? "descending" : "ascending");
    });
  }

  for (const table of tables) {
    table.heads.forEach((head, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort by " + head.dataset.title;
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      // the first click brings the best to the top
      const first = head.dataset.better === "1" ? "descending" : "ascending";
      button.addEventListener("click", () => {
        const again = head.getAttribute("aria-sort") === first;
        sort(table, index, again !== (first === "descending"));
      });
    });
  }

  // On a narrow screen rows are cards without headings, and all tables sort by one choice.
  const choice = document.getElementById("sort-by");
  const seen = new Map([["", "order as listed"]]);
  for (const { heads } of tables) for (const head of heads) seen.set(head.dataset.column, head.dataset.title);
  for (const [column, title] of seen) choice.add(new Option(title, column));
  choice.addEventListener("change", () => {
    for (const table of tables) {
      const index = table.heads.findIndex((head) => head.dataset.column === choice.value);
      if (index >= 0) sort(table, index, table.heads[index].dataset.better === "1");
      else if (!choice.value) table.element.append(...table.rows.map((row) => row.element));
    }
  });

  const text = document.getElementById("filter-text");
  const boxes = [...filters.querySelectorAll("input[name=agrees]")];
  const count = document.getElementById("filter-count");

  function filter() {
    const asked = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const allowed = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    // rows that were not compared go only when some agreement is asked for by leaving others out
    if (allowed.size === boxes.length) allowed.add("");
    let shown = 0, all = 0;
    for (const table of tables) {
      let here = 0;
      for (const row of table.rows) {
        const passes = allowed.has(row.agrees) && asked.every((word) => row.text.includes(word));
        row.element.hidden = !passes;
        here += passes;
      }
      table.none.hidden = here > 0;
      shown += here;
      all += table.rows.length;
    }
    count.textContent = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
  }
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", filter);
  filter();
})();
