// One chart: lines over a common axis, with a legend that shows the values under the cursor.
import uPlot from "uplot";
import type { Axis } from "./axis";
import { lastOf, smoothed } from "./series";

type Values = (number | null)[];

export interface Line {
  label: string;
  colour: number;  // --curve-1 to --curve-8
  x: number[];
  mean: Values;
  min?: Values;
  max?: Values;
  isRemoved?: boolean;  // rounds that were rolled back: drawn with dashes, and not in the legend
}

export interface Mark {
  kind: "checkpoint" | "best" | "restart" | "lost" | "rollback";
  x: number;
  end?: number;  // of a rollback
}

export interface ChartView {
  axis: Axis;
  from: number;
  to: number;
  smoothing: number;
  isLog: boolean;
  marks: Mark[];
  zoom: (from: number, to: number) => void;
  reset: () => void;
}

// Canvases need the colours of the style sheet as values.
const probe = document.createElement("i");
export function colourOf(name: string): string {
  if (!probe.isConnected) {
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

const kFont = "11px system-ui, sans-serif";
const ruler = document.createElement("canvas").getContext("2d")!;

// Returns the width of the longest text in pixels.
function widthOf(texts: string[]): number {
  ruler.font = kFont;
  return Math.ceil(Math.max(0, ...texts.map((text) => ruler.measureText(text).width)));
}

function withAlpha(colour: string, alpha: number): string {
  return colour.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);
}

const kFewPoints = 30;
// More lines have no legend. The line at the cursor is emphasized and named instead.
const kMostKeys = 8;
const kUsualMarks = 62, kMarkGap = 8;  // least width of the vertical axis, and the gap within it
const kRightPadding = 16;              // at least; more if the last mark of the horizontal axis is wide

function knownOf(line: Line): number {
  return line.mean.reduce((count: number, value) => count + (value === null ? 0 : 1), 0);
}

// Of a logarithmic axis, the marks at 1, 2 and 5 times the powers of ten.
function mainMarks(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (/^[125](\.0*)?e/.test(value.toExponential(3)) ? value : null));
}

export class Chart {
  private readonly keys: HTMLElement;
  private readonly place: HTMLElement;
  private readonly figure: HTMLElement;
  private plot: uPlot | null = null;
  private shape = "";  // of the plot: what setData cannot change
  private lines: Line[] = [];
  private means: Values[] = [];  // as drawn, aligned with the plot's x; undefined where other lines have a point
  private view!: ChartView;
  private isVisible = false;  // charts in the window are drawn first
  private isStale = true;
  private focused = -1;  // index of the line at the cursor, if there are too many for a legend

  // `steps` are the distances of the marks of the vertical axis, if they are not the usual ones.
  constructor(parent: HTMLElement, readonly title: string, private readonly format: (value: number, digits?: number) => string, private readonly steps?: number[]) {
    this.figure = document.createElement("figure");
    this.figure.className = "chart";
    const caption = document.createElement("figcaption");
    const name = document.createElement("strong");
    name.textContent = title;
    this.keys = document.createElement("span");
    this.keys.className = "keys";
    caption.append(name, this.keys);
    this.place = document.createElement("div");
    this.place.className = "plot";
    this.place.tabIndex = 0;
    this.place.setAttribute("role", "img");
    this.figure.append(caption, this.place);
    parent.append(this.figure);
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.place);
    this.place.addEventListener("keydown", (event) => this.onKey(event));
    new IntersectionObserver((entries) => {
      this.isVisible = entries[entries.length - 1]!.isIntersecting;
      if (this.isVisible && this.isStale) this.draw();
    }).observe(this.figure);
    addEventListener("beforeprint", () => {
      if (this.isStale) this.draw();
    });
  }

  remove(): void {
    this.plot?.destroy();
    this.figure.remove();
  }

  update(lines: Line[], view: ChartView): void {
    this.lines = lines;
    this.view = view;
    this.isStale = true;
    if (this.isVisible) this.draw();
    else {
      requestIdleCallback(() => {
        if (this.isStale) this.draw();
      }, { timeout: 2000 });
    }
    this.describe();
  }

  private draw(): void {
    const { lines, view } = this;
    if (lines.length === 0) return;
    this.isStale = false;
    const shape = JSON.stringify([
      lines.map((line) => [line.label, line.colour, line.min !== undefined, line.isRemoved, knownOf(line) < kFewPoints]), view.axis.kind,
      view.isLog, view.smoothing > 0, colourOf("ink"),
    ]);
    const data = this.dataOf(lines);
    if (this.plot && shape === this.shape) {
      this.plot.setData(data, false);
      this.plot.setScale("x", { min: view.from, max: view.to });
    } else {
      this.plot?.destroy();
      this.shape = shape;
      this.plot = new uPlot(this.optionsOf(lines), data, this.place);
    }
    this.showValues(null);
  }

  // Aligns the lines: for each its mean, then, as far as they exist, the mean without smoothing,
  // the smallest and the largest values.
  private dataOf(lines: Line[]): uPlot.AlignedData {
    const positive = (values: Values): Values =>
      this.view.isLog ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
    const tables = lines.map((line) => {
      const isSmooth = this.isSmooth(line);
      if (this.isCrowd()) return [line.x, positive(isSmooth ? smoothed(line.mean, this.view.smoothing) : line.mean)] as uPlot.AlignedData;
      const table: [number[], ...Values[]] = [line.x, positive(isSmooth ? smoothed(line.mean, this.view.smoothing) : line.mean)];
      if (isSmooth) table.push(positive(line.mean));
      if (line.min && line.max) table.push(positive(line.min), positive(line.max));
      return table as uPlot.AlignedData;
    });
    const data = tables.length === 1 ? tables[0]! : uPlot.join(tables);
    this.means = [];
    let column = 1;
    for (const table of tables) {
      this.means.push(data[column] as Values);
      column += table.length - 1;
    }
    return data;
  }

  private isCrowd(): boolean {
    return this.lines.filter((line) => !line.isRemoved).length > kMostKeys;
  }

  // Few values say more without smoothing.
  private isSmooth(line: Line): boolean {
    return this.view.smoothing > 0 && knownOf(line) >= kFewPoints;
  }

  private seriesOf(lines: Line[]): { series: uPlot.Series[]; bands: uPlot.Band[] } {
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    for (const line of lines) {
      const colour = colourOf(`curve-${line.colour}`);
      const few = this.isCrowd() ? 2 : kFewPoints;
      const dots = { show: knownOf(line) < few, size: line.isRemoved || this.isCrowd() ? 3 : 5, fill: colour, stroke: colour };
      const kind = line.isRemoved ? { dash: [5, 4], width: 1.2 } : { width: this.isCrowd() ? 1 : 1.6 };
      series.push({ label: line.label, stroke: colour, spanGaps: true, points: dots, ...kind });
      if (this.isCrowd()) continue;
      if (this.isSmooth(line)) {
        series.push({ stroke: withAlpha(colour, 0.28), width: 1, spanGaps: true, points: { show: false } });
      }
      if (line.min && line.max) {
        const edge: uPlot.Series = { stroke: "transparent", width: 0, spanGaps: true, points: { show: false } };
        bands.push({ series: [series.length + 1, series.length], fill: withAlpha(colour, 0.14) });
        series.push(edge, { ...edge });
      }
    }
    return { series, bands };
  }

  private optionsOf(lines: Line[]): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: colourOf("soft"),
      font: kFont,
      grid: { stroke: colourOf("line"), width: 1 },
      ticks: { show: false },
    };
    return {
      ...this.size(),
      ...this.seriesOf(lines),
      legend: { show: false },
      padding: [10, () => Math.max(kRightPadding, 2 + widthOf([this.view.axis.text(this.view.to)]) / 2), 0, 0],
      scales: {
        x: { time: false, range: () => [this.view.from, this.view.to] },
        y: this.view.isLog ? { distr: 3 } : { range: (_, min, max) => this.rangeOf(min, max) },
      },
      axes: [
        {
          ...axis, size: 26, gap: 6, space: 70, grid: { show: false }, label: this.view.axis.label,
          labelSize: 16, labelGap: 0, labelFont: axis.font!,
          incrs: this.view.axis.steps,
          values: (_, splits) => splits.map((value) => this.view.axis.text(value)),
        },
        { ...axis, ...(this.view.isLog ? { filter: mainMarks, grid: { ...axis.grid, filter: mainMarks } } : {}), ...(this.steps ? { incrs: this.steps } : {}), size: (_, texts) => Math.max(kUsualMarks, widthOf(texts ?? []) + kMarkGap + 2), gap: kMarkGap, space: 38, values: (_, splits) => this.markTexts(splits) },
      ],
      cursor: {
        sync: { key: "curves", scales: ["x", null] },
        y: false,
        drag: { x: true, y: false, setScale: false },
        points: { size: 6, show: !this.isCrowd() },
        ...(this.isCrowd() ? { focus: { prox: 24 } } : {}),
        bind: { dblclick: () => () => (this.view.reset(), null) },
      },
      ...(this.isCrowd() ? { focus: { alpha: 0.15 } } : {}),
      hooks: {
        setSeries: [(plot, index) => this.onFocus(plot, index)],
        draw: [(plot) => this.drawMarks(plot)],
        setCursor: [(plot) => this.showValues(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.onSelect(plot)],
      },
    };
  }

  private rangeOf(min: number | null, max: number | null): [number, number] {
    if (min === null || max === null) return [0, 1];
    const room = (max - min || Math.abs(max) || 1) * 0.07;
    // Figures that are never negative get no negative room.
    return [min >= 0 ? Math.max(0, min - room) : min - room, max + room];
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(160, this.place.clientWidth), height: 210 };
  }

  private onFocus(plot: uPlot, index: number | null): void {
    if (!this.isCrowd()) return;
    this.focused = (index ?? 0) - 1;
    this.showValues(plot.cursor.idx ?? null);
  }

  private onSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 6) return;
    const from = plot.posToVal(left, "x"), to = plot.posToVal(left + width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.view.zoom(from, to);
  }

  // Texts of the marks of the vertical axis, with as many digits as distinguish them.
  private markTexts(splits: (number | null)[]): string[] {
    let texts: string[] = [];
    for (let digits = 4; digits <= 10; ++digits) {
      texts = splits.map((value) => (value === null ? "" : this.format(value, digits)));
      const known = texts.filter((text) => text !== "");
      if (new Set(known).size === known.length) break;
    }
    return texts;
  }

  private onKey(event: KeyboardEvent): void {
    const { from, to } = this.view;
    const width = to - from;
    const at = this.plot?.cursor.idx != null ? this.plot.data[0][this.plot.cursor.idx]! : from + width / 2;
    if (event.key === "+" || event.key === "=") this.view.zoom(at - width / 4, at + width / 4);
    else if (event.key === "-" || event.key === "−") this.view.zoom(at - width, at + width);
    else if (event.key === "0") this.view.reset();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.step(event.key === "ArrowLeft" ? -1 : 1);
    else return;
    event.preventDefault();
  }

  private step(by: number): void {
    if (!this.plot) return;
    const x = this.plot.data[0];
    const at = Math.min(x.length - 1, Math.max(0, (this.plot.cursor.idx ?? (by > 0 ? -1 : x.length)) + by));
    this.plot.setCursor({ left: this.plot.valToPos(x[at]!, "x"), top: 10 });
  }

  // Shows the values at the index, or the last values.
  private showValues(index: number | null): void {
    if (this.isCrowd() && this.focused < 0) {
      this.keys.replaceChildren(`${this.lines.length} curves. Point at a curve to see its job`);
      return;
    }
    this.keys.replaceChildren(...this.lines.flatMap((line, i) => {
      if (line.isRemoved || (this.isCrowd() && i !== this.focused)) return [];
      const key = document.createElement("span");
      key.className = "key";
      key.style.setProperty("--key", `var(--curve-${line.colour})`);
      const value = lastOf(index === null ? this.means[i]! : this.means[i]!.slice(0, index + 1));
      const number = document.createElement("b");
      number.textContent = value === null ? "–" : this.format(value);
      key.append(`${line.label} `, number);
      return key;
    }));
  }

  private describe(): void {
    const parts = this.isCrowd() ? [`${this.lines.length} curves`] : this.lines.filter((line) => !line.isRemoved).map((line) => {
      const known = line.mean.filter((value): value is number => value !== null);
      if (known.length === 0) return `${line.label}: no values`;
      const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
      return `${line.label}: ${known.length} points, last ${this.format(known[known.length - 1]!)}, ` +
        `lowest ${this.format(low)}, highest ${this.format(high)}`;
    });
    this.place.setAttribute("aria-label", `${this.title} by ${this.view.axis.label.toLowerCase()}. ${parts.join(". ")}`);
  }

  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    const bottom = bbox.top + bbox.height;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - 6 * ratio, bbox.top, bbox.width + 12 * ratio, bbox.height + ratio);
    ctx.clip();
    for (const mark of this.view.marks) {
      const x = Math.round(plot.valToPos(mark.x, "x", true));
      if (mark.kind === "rollback") {
        const end = Math.round(plot.valToPos(mark.end ?? mark.x, "x", true));
        ctx.fillStyle = withAlpha(colourOf("bad"), 0.16);
        ctx.fillRect(x, bbox.top, Math.max(2 * ratio, end - x), bbox.height);
      } else if (mark.kind === "checkpoint") {
        ctx.fillStyle = colourOf("soft");
        ctx.beginPath();
        ctx.moveTo(x, bottom - 6 * ratio);
        ctx.lineTo(x - 4 * ratio, bottom);
        ctx.lineTo(x + 4 * ratio, bottom);
        ctx.fill();
      } else if (mark.kind === "best") {
        this.drawBest(plot, mark.x, x);
      } else {
        ctx.strokeStyle = colourOf(mark.kind === "restart" ? "live" : "warn");
        ctx.lineWidth = ratio;
        ctx.setLineDash([4 * ratio, 3 * ratio]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bottom);
        ctx.stroke();
        ctx.setLineDash([]);
      }
    }
    ctx.restore();
  }

  // Draws a ring around the value of the test curve at the best round.
  private drawBest(plot: uPlot, value: number, x: number): void {
    const line = this.lines.findIndex((found) => found.label === "test");
    if (line < 0) return;
    const at = plot.data[0].findIndex((found) => Math.abs(found - value) < 1e-6 * Math.max(1, value));
    const y = at < 0 ? null : this.means[line]![at];
    if (y === null || y === undefined) return;
    const { ctx } = plot;
    ctx.strokeStyle = colourOf("good");
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    ctx.arc(x, plot.valToPos(y, "y", true), 6 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.stroke();
  }
}
