// The report: one chart, drawn as SVG, with a read-out for mouse, finger and keyboard.
const Drawing = JSON.parse(document.getElementById("drawing").textContent);

const Chart = (function () {
  const NS = "http://www.w3.org/2000/svg";
  const MARGIN = { top: 10, right: 14, bottom: 40, left: 50 };
  const MARKS = 6; // markers on a curve
  const MARKERS = [
    "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0Z", // disc
    "M-3-3H3V3H-3Z",                                    // square
    "M0-4L3.8 3H-3.8Z",                                 // triangle up
    "M0-4.2L4.2 0L0 4.2L-4.2 0Z",                       // diamond
    "M0 4L3.8-3H-3.8Z",                                 // triangle down
    "M-1.2-4H1.2V-1.2H4V1.2H1.2V4H-1.2V1.2H-4V-1.2H-1.2Z", // plus
    "M-3.6-2.2L-2.2-3.6L0-1.4L2.2-3.6L3.6-2.2L1.4 0L3.6 2.2L2.2 3.6L0 1.4L-2.2 3.6L-3.6 2.2L-1.4 0Z", // cross
    "M-1.6-4L1.6-4L4-1.6L4 1.6L1.6 4L-1.6 4L-4 1.6L-4-1.6Z", // octagon
  ];

  function make(name, attributes, ...children) {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  // The line and marker of a label, for the legend.
  function sample(label) {
    const [colour, dash, marker] = Drawing.looks[label];
    return make("svg", { class: "sample c" + colour, width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" },
      make("path", { class: "line", d: "M1 6H29", "stroke-dasharray": Drawing.dashes[dash] }),
      make("path", { class: "mark", d: MARKERS[marker], transform: "translate(15 6)" }));
  }

  class Chart {
    constructor(figure, data, isOn) {
      Object.assign(this, { figure, data, isOn, xlog: data.xlog, ylog: data.ylog, cursor: null });
      this.box = figure.querySelector(".plot");
      for (const button of figure.querySelectorAll("[data-axis]")) {
        const name = button.dataset.axis + "log";
        button.setAttribute("aria-pressed", String(this[name]));
        button.addEventListener("click", () => {
          this[name] = !this[name];
          button.setAttribute("aria-pressed", String(this[name]));
          this.draw();
        });
      }
    }

    get shown() { return this.data.series.filter((s) => this.isOn(s.label)); }

    draw() {
      const width = Math.round(this.box.clientWidth);
      if (!width) return; // not on show
      const most = this.data.kind === "race" ? 460 : 300; // many curves, over the whole page
      const height = Math.round(Math.min(most, Math.max(210, width * 0.62)));
      this.drawnWidth = width;
      this.frame(width, height);
      const svg = make("svg", {
        width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img",
        "aria-label": `${this.data.title}: ${this.data.y} against ${this.data.x}. ` +
          `${this.shown.length} curves; arrow keys read values.`,
      });
      this.axes(svg, width, height);
      // curves may leave the frame at the top; a marker on its edge is shown whole
      const [x, y] = [MARGIN.left - 5, MARGIN.top - 5];
      const [w, h] = [this.right + 5 - x, this.bottom + 5 - y];
      const inner = make("svg", { x, y, width: w, height: h, viewBox: `${x} ${y} ${w} ${h}` });
      this.shown.filter((s) => s.band).forEach((s) => inner.append(this.band(s)));
      this.shown.forEach((s) => inner.append(this.curve(s)));
      this.pointer = make("g", { class: "pointer" });
      svg.append(inner, this.pointer);
      if (!this.shown.length) {
        svg.append(make("text", { class: "void", x: width / 2, y: height / 2 }, "no curve is switched on"));
      }
      this.readout = document.createElement("div");
      this.readout.className = "readout";
      this.readout.hidden = true;
      this.box.replaceChildren(svg, this.readout);
      this.listen(svg);
    }

    frame(width, height) {
      this.right = width - MARGIN.right;
      this.bottom = height - MARGIN.bottom;
      const all = (key) => this.shown.flatMap((s) => s[key]);
      const [x0, x1] = Scales.extent(all("x"), this.xlog, false);
      const [y0, y1] = Scales.extent(all("y"), this.ylog, true);
      // x begins at nought where the curves nearly do, and has no margin
      const xs = this.shown.length ? all("x") : [0, 1];
      const least = xs.reduce((a, b) => Math.min(a, b)), most = xs.reduce((a, b) => Math.max(a, b));
      const start = least >= 0 && least < 0.2 * most ? 0 : least;
      const plain = this.xlog || least === most;
      this.x = Scales.scale(plain ? x0 : start, plain ? x1 : most, MARGIN.left, this.right, this.xlog);
      this.y = Scales.scale(y0, y1, this.bottom, MARGIN.top, this.ylog);
    }

    axes(svg, width, height) {
      const { right, bottom } = this;
      for (const t of Scales.ticks(this.y, 5)) {
        const y = Math.round(this.y.pixel(t)) + 0.5;
        svg.append(make("path", { class: "grid", d: `M${MARGIN.left} ${y}H${right}` }),
          make("text", { class: "tick y", x: MARGIN.left - 7, y: y + 3.5 }, Scales.short(t)));
      }
      for (const t of Scales.ticks(this.x, Math.max(3, Math.round(width / 75)))) {
        const x = Math.round(this.x.pixel(t)) + 0.5;
        svg.append(make("path", { class: "axis", d: `M${x} ${bottom}v4` }),
          make("text", { class: "tick x", x: Math.min(x, right - 2), y: bottom + 16 }, Scales.short(t)));
      }
      svg.append(make("path", { class: "axis", d: `M${MARGIN.left} ${bottom + 0.5}H${right}` }),
        make("text", { class: "title", x: (MARGIN.left + right) / 2, y: height - 5 }, this.data.x),
        make("text", { class: "title", transform: `translate(11 ${(MARGIN.top + bottom) / 2}) rotate(-90)` }, this.data.y));
    }

    // Pixels of the points that the axes can show.
    pixels(series, shift = 0) {
      const points = [];
      for (let i = 0; i < series.x.length; i++) {
        const x = series.x[i], y = series.y[i] + (shift ? shift * series.band[i] : 0);
        if ((this.xlog && x <= 0) || (this.ylog && y <= 0)) continue;
        points.push([this.x.pixel(x), this.y.pixel(y), i]);
      }
      return points;
    }

    curve(series) {
      const [colour, dash, marker] = Drawing.looks[series.label];
      const points = this.pixels(series);
      const group = make("g", { class: "series c" + colour, "data-label": Drawing.labels[series.label] },
        make("path", { class: "line", d: path(points), "stroke-dasharray": Drawing.dashes[dash] }));
      for (const [x, y] of spread(points, series.label)) {
        group.append(make("path", { class: "mark", d: MARKERS[marker], transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }));
      }
      for (const [from, to] of series.leads || []) {
        const part = points.filter(([, , i]) => series.x[i] >= from && series.x[i] <= to);
        group.prepend(make("path", { class: "lead", d: path(part) },
          make("title", {}, `${Drawing.labels[series.label]} leads from ${whole(from)} to ${whole(to)}`)));
      }
      if (series.ends && points.length) {
        const [x, y] = points[points.length - 1];
        group.append(make("path", { class: "end", d: "M-4.5-4.5L4.5 4.5M-4.5 4.5L4.5-4.5",
          transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
          make("title", {}, `${Drawing.labels[series.label]}: ${series.ends}`)));
      }
      for (const at of series.drifts || []) {
        const x = this.x.pixel(at).toFixed(1);
        group.append(make("path", { class: "drift", d: `M${x} ${MARGIN.top}V${this.bottom}` },
          make("title", {}, `${Drawing.labels[series.label]}: a fresh learner from ${whole(at)} on`)));
      }
      return group;
    }

    band(series) {
      const outline = [...this.pixels(series, 1), ...this.pixels(series, -1).reverse()];
      return make("path", { class: "band c" + Drawing.looks[series.label][0], d: path(outline) + "Z",
        "data-label": Drawing.labels[series.label] });
    }

    listen(svg) {
      const near = (event) => {
        const box = svg.getBoundingClientRect();
        this.point(this.nearest(event.clientX - box.left, event.clientY - box.top));
      };
      svg.addEventListener("pointermove", near);
      svg.addEventListener("pointerdown", near);
      svg.addEventListener("pointerleave", () => this.point(null));
      svg.addEventListener("blur", () => this.point(null));
      svg.addEventListener("keydown", (event) => {
        const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
        if (event.key === "Escape") this.point(null);
        if (!move || !this.shown.length) return;
        event.preventDefault();
        this.point(this.stepped(...move), true);
      });
    }

    nearest(px, py) {
      let best = null, least = Infinity;
      for (const series of this.shown) {
        for (const [x, y, i] of this.pixels(series)) {
          const distance = (x - px) ** 2 + 0.3 * (y - py) ** 2;
          if (distance < least) [best, least] = [{ series, i }, distance];
        }
      }
      return best;
    }

    // The keyboard goes along a curve, or to the same place of the next one.
    stepped(curves, points) {
      const { shown, cursor } = this;
      const place = cursor ? shown.indexOf(cursor.series) : -1;
      if (place < 0) return { series: shown[0], i: shown[0].x.length - 1 };
      const series = shown[(place + curves + shown.length) % shown.length];
      const here = curves ? closest(series.x, cursor.series.x[cursor.i]) : cursor.i + points;
      return { series, i: Math.min(Math.max(here, 0), series.x.length - 1) };
    }

    point(cursor, aloud = false) {
      this.cursor = cursor;
      this.pointer.replaceChildren();
      this.readout.hidden = !cursor;
      if (!cursor) return;
      const { series, i } = cursor;
      const x = this.x.pixel(series.x[i]), y = Math.max(this.y.pixel(series.y[i]), MARGIN.top);
      // a logarithmic axis has no place for nought
      if (Number.isFinite(x) && Number.isFinite(y)) this.pointer.append(
        make("path", { class: "cross", d: `M${x} ${MARGIN.top}V${this.bottom}` }),
        make("circle", { class: "dot c" + Drawing.looks[series.label][0], cx: x, cy: y, r: 5 }));
      this.tell(series, i);
      const wide = this.readout.offsetWidth, left = x + 12 + wide > this.drawnWidth ? x - 12 - wide : x + 12;
      this.readout.style.left = Math.max(0, Math.min(left, this.drawnWidth - wide)) + "px";
      if (aloud) {
        document.getElementById("reader").textContent = `${Drawing.labels[series.label]}: ` +
          `${this.data.y} ${Scales.long(series.y[i])} at ${whole(series.x[i])} ${this.data.x}`;
      }
    }

    // All curves at this place, the largest value first, as they lie in the chart.
    tell(series, i) {
      const at = series.x[i];
      const rows = this.shown
        .map((s) => ({ s, y: s === series ? s.y[i] : between(s, at) }))
        .filter((row) => row.y !== null)
        .sort((a, b) => b.y - a.y);
      const largest = rows.length ? rows[0].y : 1;
      const head = document.createElement("div");
      head.className = "readout-head";
      head.textContent = `${whole(at)} ${this.data.x}`;
      this.readout.replaceChildren(head, ...rows.map(({ s, y }) => {
        const row = document.createElement("div");
        row.className = s === series ? "readout-row here" : "readout-row";
        const name = document.createElement("span"), value = document.createElement("span");
        name.textContent = Drawing.labels[s.label];
        value.textContent = Scales.long(y, largest) +
          (s === series && s.band ? ` ± ${Scales.long(s.band[i], largest)}` : "");
        row.append(sample(s.label), name, value);
        return row;
      }));
    }
  }

  // Counts have no decimals.
  function whole(v) {
    return Number.isInteger(v) ? v.toLocaleString("en") : Scales.long(v);
  }

  function path(points) {
    return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  }

  // Some points, evenly apart on the screen; curves start at different places, lest their markers coincide.
  function spread(points, label) {
    if (points.length <= MARKS) return points;
    const [first, last] = [points[0][0], points[points.length - 1][0]];
    const xs = points.map((p) => p[0]);
    const offset = ((label * 0.37) % 1) * 0.8 + 0.1;
    return [...Array(MARKS).keys()].map((k) => points[closest(xs, first + ((k + offset) / MARKS) * (last - first))]);
  }

  function closest(xs, x) {
    let best = 0;
    for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i;
    return best;
  }

  // A curve's value between its points; nothing before its first or after its last.
  function between({ x, y }, at) {
    if (!x.length || at < x[0] || at > x[x.length - 1]) return null;
    const i = x.findIndex((v) => v >= at);
    if (i === 0 || x[i] === at) return y[i];
    return y[i - 1] + ((at - x[i - 1]) / (x[i] - x[i - 1])) * (y[i] - y[i - 1]);
  }

  Chart.sample = sample;
  return Chart;
})();
