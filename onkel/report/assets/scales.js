// The report: axes. A scale maps values to pixels; ticks are round numbers.
const Scales = (function () {
  const LN10 = Math.LN10;

  function scale(low, high, from, to, log) {
    const f = log ? Math.log : (v) => v;
    const back = log ? Math.exp : (v) => v;
    const a = f(low), span = f(high) - a || 1;
    return {
      low, high, log,
      pixel: (v) => from + ((f(v) - a) / span) * (to - from),
      value: (p) => back(a + ((p - from) / (to - from)) * span),
    };
  }

  function linearTicks(low, high, about) {
    const rough = (high - low) / about;
    const power = 10 ** Math.floor(Math.log(rough) / LN10);
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12) + step * 1e-9; i++) {
      ticks.push(Number((i * step).toPrecision(12)));
    }
    return ticks;
  }

  function logTicks(low, high, about) {
    const first = Math.floor(Math.log(low) / LN10 + 1e-9), last = Math.ceil(Math.log(high) / LN10 - 1e-9);
    const decades = Math.log(high / low) / LN10;
    if (decades < 0.7) return linearTicks(low, high, about);
    const steps = decades * 3 <= about + 1 ? [1, 2, 5] : decades * 2 <= about + 1 ? [1, 3] : [1];
    const every = Math.max(1, Math.ceil(decades / about));
    const ticks = [];
    for (let d = first; d <= last; d += every) {
      for (const m of steps) ticks.push(Number(`${m}e${d}`));
    }
    return ticks.filter((t) => t >= low * 0.9999 && t <= high * 1.0001);
  }

  function ticks(scale, about) {
    return scale.log ? logTicks(scale.low, scale.high, about) : linearTicks(scale.low, scale.high, about);
  }

  // Short for an axis: 20k, 1.5M, 0.05
  function short(v) {
    const size = Math.abs(v);
    if (size >= 1e6) return minus(+(v / 1e6).toPrecision(4)) + "M";
    if (size >= 1e4) return minus(+(v / 1e3).toPrecision(4)) + "k";
    if (size > 0 && size < 1e-4) return minus(v.toExponential(0));
    return minus(+v.toPrecision(4));
  }
  // Long for a read-out: 20,480 or 16.61; with the digits that suit the largest of the values beside it
  function long(v, largest = v) {
    const size = Math.abs(largest);
    if (size > 0 && size < 1e-3) return minus(v.toPrecision(3));
    const digits = size ? Math.min(4, Math.max(0, 3 - Math.floor(Math.log(size) / LN10 + 1e-9))) : 0;
    return minus(v.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  }
  function minus(v) { return String(v).replace("-", "−"); }

  // The range of values, wide enough for all but single wild ones: a curve's first points may leave the frame.
  function extent(values, log, fromZero) {
    const usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0)).sort((a, b) => a - b);
    if (!usable.length) return log ? [1, 10] : [0, 1];
    let low = usable[0], high = usable[usable.length - 1];
    const common = usable[Math.floor(0.97 * (usable.length - 1))];
    if (fromZero && !log && common > 0 && high > 1.6 * common) high = 1.15 * common;
    if (low === high) return log ? [low / 2, high * 2] : [Math.min(0, 2 * low), Math.max(2 * high, low ? 0 : 1)];
    if (log) return [low, high];
    if (fromZero && low >= 0 && low < 0.5 * high) low = 0;
    const room = 0.04 * (high - low);
    return [low === 0 ? 0 : low - room, high + room];
  }

  return { scale, ticks, short, long, extent };
})();
