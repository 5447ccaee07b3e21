// Units over time: a row for each slot of an executor, with zoom and pan.
import { colourOf } from "./chart";
import { formatCount, formatSeconds } from "./format";

interface Round {
  name: string;  // number; with "e" for its evaluation
  begin: number;  // all times in ms since the opening of the first round
  end: number;
}

// A lease.
interface Bar {
  round: string;
  unit: number;
  how: string;  // its result was used, or what happened otherwise
  leased: number;
  begin: number;
  end: number;
  states: number;
  data: number;
  computing: number;
  sending: number;
}

interface Row {
  name: string;
  bars: Bar[];  // by begin
  isLost: boolean;
}

const kTop = 38;     // height of the axis and of the rounds, in pixels
const kRow = 22;     // height of a row
const kBar = 14;     // height of a bar
const kMostRows = 300;
const kShortest = 5;  // shown at most enlarged, in ms
const kUsed = ["committed", "confirmed"];
// Distances of the marks of the axis, in ms.
const kSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_200_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000];

function isEvaluation(round: string): boolean {
  return round.endsWith("e");
}

// Reads the texts of the server (web/documents/timeline_document.h).
function roundOf(text: string): Round {
  const [name = "", begin, length] = text.split(",");
  return { name, begin: Number(begin), end: Number(begin) + Number(length) };
}

function barOf(text: string): Bar {
  const [round = "", unit, how = "", ...times] = text.split(",");
  const [leased = 0, begin = 0, length = 0, states = 0, data = 0, computing = 0, sending = 0] = times.map(Number);
  return { round, unit: Number(unit), how, leased, begin, end: begin + length, states, data, computing, sending };
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(" ").filter(Boolean);
}

function clockOf(ms: number, step: number): string {
  const time = new Date(ms);
  const text = time.toLocaleTimeString("en-GB");
  return step < 1000 ? `${text}.${String(time.getMilliseconds()).padStart(3, "0")}` : text;
}

export class TimelineView {
  private readonly place = document.getElementById("timeline");
  private readonly note = document.getElementById("timeline-note")!;
  private readonly names = document.createElement("ol");
  private readonly canvas = document.createElement("canvas");
  private rounds: Round[] = [];
  private rows: Row[] = [];
  private origin = 0;  // ms of Unix time
  private last = 0;    // end of all rounds
  private from = 0;    // the shown part
  private to = 0;
  private dragged: { x: number; from: number; to: number } | null = null;

  constructor() {
    if (!this.place) return;
    this.names.setAttribute("aria-hidden", "true");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.place.replaceChildren(this.names, this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
    this.canvas.addEventListener("pointerup", () => (this.dragged = null));
    this.canvas.addEventListener("pointercancel", () => (this.dragged = null));
    this.canvas.addEventListener("dblclick", () => this.show(0, this.last));
    document.getElementById("timeline-tools")!.addEventListener("click", (event) => this.onTool(event));
    new ResizeObserver(() => this.draw()).observe(this.place);
    this.refreshed();
  }

  // Reads what the page says.
  refreshed(): void {
    const { origin, rounds } = document.getElementById("timeline-facts")!.dataset;
    if (!this.place && rounds) location.reload();  // the first round was recorded
    if (!this.place) return;
    const shift = Number(origin) - this.origin;
    this.origin = Number(origin);
    this.rounds = listOf(rounds).map(roundOf);
    this.rows = [...document.querySelectorAll<HTMLElement>("[data-slot]")].slice(0, kMostRows)
      .map(({ dataset }) => ({ name: dataset.slot!, bars: listOf(dataset.bars).map(barOf), isLost: dataset.lost !== undefined }));
    this.takeTimes(shift);
    this.build();
    this.draw();
  }

  // A whole view stays whole. An enlarged view stays where it is.
  private takeTimes(shift: number): void {
    const isWhole = this.from <= 0 && this.to >= this.last;
    this.last = Math.max(kShortest, ...this.rounds.map((round) => round.end));
    [this.from, this.to] = isWhole ? [0, this.last] : [this.from - shift, this.to - shift];
    if (this.from < 0 || this.to > this.last) this.show(this.from, this.to);
  }

  private build(): void {
    this.names.replaceChildren(...this.rows.map((row) => {
      const name = document.createElement("li");
      name.textContent = row.name;
      name.title = row.name;
      if (row.isLost) name.className = "lost";
      return name;
    }));
    const lost = this.rows.filter((row) => row.isLost).map((row) => row.name);
    this.canvas.setAttribute("aria-label", `Units of ${this.rows.length} slots over ${formatSeconds(this.last / 1000)}. ` +
      `${lost.length > 0 ? `Lost: ${lost.join("; ")}. ` : ""}The tables below have the same figures.`);
  }

  draw(): void {
    if (!this.place || this.rows.length === 0) return;
    const width = this.canvas.clientWidth, height = kTop + kRow * this.rows.length;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    const context = this.canvas.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.font = "11px system-ui, sans-serif";
    this.drawRounds(context, width, height);
    this.drawAxis(context, width);
    this.rows.forEach((row, i) => this.drawRow(context, row, kTop + kRow * i, width));
  }

  private xOf(ms: number, width: number): number {
    return ((ms - this.from) / (this.to - this.from)) * width;
  }

  private drawAxis(context: CanvasRenderingContext2D, width: number): void {
    const wished = ((this.to - this.from) * 110) / width;
    const step = kSteps.find((ms) => ms >= wished) ?? Math.ceil(wished / 86_400_000) * 86_400_000;
    context.fillStyle = colourOf("soft");
    const first = Math.ceil((this.origin + this.from) / step) * step - this.origin;
    for (let ms = first; ms <= this.to; ms += step) {
      const x = this.xOf(ms, width);
      context.textAlign = x < 34 ? "left" : x > width - 34 ? "right" : "center";
      context.fillText(clockOf(this.origin + ms, step), x, 12);
      context.fillRect(x, 16, 1, 3);
    }
  }

  // A strip with the rounds, whose ends continue through all rows.
  private drawRounds(context: CanvasRenderingContext2D, width: number, height: number): void {
    const [tint, line, ink] = [colourOf("tint"), colourOf("line"), colourOf("soft")];
    context.textAlign = "center";
    for (const round of this.rounds) {
      const x = this.xOf(round.begin, width), end = this.xOf(round.end, width);
      if (end < 0 || x > width) continue;
      context.fillStyle = tint;
      context.fillRect(x, 20, Math.max(0, end - x - 1), 15);
      if (end - x > 5) {
        context.fillStyle = line;
        context.fillRect(Math.round(end), 20, 1, height);
      }
      const left = Math.max(0, x), right = Math.min(width, end);
      const text = isEvaluation(round.name) ? "evaluation" : formatCount(Number(round.name));
      if (right - left < context.measureText(text).width + 6) continue;
      context.fillStyle = ink;
      context.fillText(text, (left + right) / 2, 31);
    }
  }

  private drawRow(context: CanvasRenderingContext2D, row: Row, y: number, width: number): void {
    context.fillStyle = colourOf("line");
    context.fillRect(0, y + kRow - 1, width, 1);
    const top = y + (kRow - 1 - kBar) / 2;
    const colours = {
      computing: colourOf("curve-1"), evaluating: colourOf("curve-8"), data: colourOf("curve-2"), state: colourOf("curve-3"),
      other: colourOf("edge"), bad: colourOf("bad"), soft: colourOf("soft"),
    };
    for (const bar of row.bars) {
      const x = this.xOf(bar.begin, width), end = this.xOf(bar.end, width), leased = this.xOf(bar.leased, width);
      if (end < 0 || Math.min(leased, x) > width) continue;
      if (x - leased > 2) {
        context.fillStyle = colours.soft;
        context.fillRect(leased, top + kBar / 2, x - leased, 1);
      }
      const length = Math.max(1, end - x - (end - x > 3 ? 1 : 0));
      if (bar.how === "overtaken") {
        context.strokeStyle = colours.soft;
        context.strokeRect(x + 0.5, top + 0.5, Math.max(1, length - 1), kBar - 1);
        continue;
      }
      if (!kUsed.includes(bar.how)) {
        this.drawLost(context, colours.bad, { x, top, length });
        continue;
      }
      const scale = length / Math.max(1e-9, bar.end - bar.begin);
      let at = x;
      const part = (colour: string, ms: number): void => {
        const next = Math.min(x + length, at + ms * scale);
        context.fillStyle = colour;
        context.fillRect(at, top, next - at, kBar);
        at = next;
      };
      part(colours.state, bar.states);
      part(colours.data, bar.data);
      part(isEvaluation(bar.round) ? colours.evaluating : colours.computing, bar.computing);
      part(colours.other, Infinity);
    }
    if (row.isLost) this.drawAbsence(context, row, y, width);
  }

  // A result that was not used has stripes and a cross at its end.
  private drawLost(context: CanvasRenderingContext2D, colour: string, { x, top, length }: { x: number; top: number; length: number }): void {
    context.save();
    context.beginPath();
    context.rect(x, top, length, kBar);
    context.clip();
    context.fillStyle = colour;
    context.globalAlpha = 0.35;
    context.fillRect(x, top, length, kBar);
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    const visible = Math.max(x, 0), until = Math.min(x + length, this.canvas.clientWidth);
    for (let stripe = visible - kBar - (visible % 7); stripe < until; stripe += 7) {
      context.beginPath();
      context.moveTo(stripe, top + kBar);
      context.lineTo(stripe + kBar, top);
      context.stroke();
    }
    context.restore();
    const end = x + length, middle = top + kBar / 2;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(end - 4, middle - 4);
    context.lineTo(end + 4, middle + 4);
    context.moveTo(end + 4, middle - 4);
    context.lineTo(end - 4, middle + 4);
    context.stroke();
    context.lineWidth = 1;
  }

  private drawAbsence(context: CanvasRenderingContext2D, row: Row, y: number, width: number): void {
    const x = Math.max(0, this.xOf(row.bars[row.bars.length - 1]!.end, width) + 6);
    if (x >= width) return;
    context.fillStyle = colourOf("bad");
    context.globalAlpha = 0.1;
    context.fillRect(x, y, width - x, kRow - 1);
    context.globalAlpha = 1;
  }

  private show(from: number, to: number): void {
    const length = Math.min(this.last, Math.max(kShortest, to - from));
    this.from = Math.min(Math.max(0, from), this.last - length);
    this.to = this.from + length;
    this.draw();
  }

  private zoom(at: number, factor: number): void {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  private timeAt(event: MouseEvent): number {
    const { left, width } = this.canvas.getBoundingClientRect();
    return this.from + ((event.clientX - left) / width) * (this.to - this.from);
  }

  private onTool(event: Event): void {
    const { name } = event.target as HTMLButtonElement;
    const middle = (this.from + this.to) / 2;
    if (name === "in") this.zoom(middle, 0.5);
    if (name === "out") this.zoom(middle, 2);
    if (name === "reset") this.show(0, this.last);
  }

  private onWheel(event: WheelEvent): void {
    const width = this.to - this.from;
    if (event.ctrlKey || event.metaKey) this.zoom(this.timeAt(event), event.deltaY > 0 ? 1.25 : 0.8);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / this.canvas.clientWidth) * width;
      this.show(this.from + by, this.to + by);
    } else return;  // the wheel alone scrolls the page
    event.preventDefault();
  }

  private onKey(event: KeyboardEvent): void {
    const width = this.to - this.from, middle = this.from + width / 2;
    if (event.key === "+" || event.key === "=") this.zoom(middle, 0.5);
    else if (event.key === "-" || event.key === "−") this.zoom(middle, 2);
    else if (event.key === "0") this.show(0, this.last);
    else if (event.key === "ArrowLeft") this.show(this.from - width / 4, this.to - width / 4);
    else if (event.key === "ArrowRight") this.show(this.from + width / 4, this.to + width / 4);
    else return;
    event.preventDefault();
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.dragged = { x: event.clientX, from: this.from, to: this.to };
    this.canvas.setPointerCapture(event.pointerId);
  }

  private onMove(event: PointerEvent): void {
    if (this.dragged) {
      const { x, from, to } = this.dragged;
      const by = ((x - event.clientX) / this.canvas.clientWidth) * (to - from);
      this.show(from + by, to + by);
    }
    this.describe(this.barAt(event));
  }

  private barAt(event: MouseEvent): Bar | undefined {
    const row = this.rows[Math.floor((event.clientY - this.canvas.getBoundingClientRect().top - kTop) / kRow)];
    const ms = this.timeAt(event), reach = (2 * (this.to - this.from)) / this.canvas.clientWidth;
    return row?.bars.find((bar) => bar.begin - reach <= ms && ms <= bar.end + reach);
  }

  private describe(bar: Bar | undefined): void {
    if (!bar) return;
    const round = formatCount(Number.parseInt(bar.round, 10));
    const parts = [
      `${isEvaluation(bar.round) ? "Evaluation unit" : "Worker"} ${bar.unit} of round ${round}, ${bar.how}`,
      formatSeconds((bar.end - bar.begin) / 1000),
      `computing ${formatSeconds(bar.computing / 1000)}`,
      `waiting for data ${formatSeconds(bar.data / 1000)}`,
      `waiting for states ${formatSeconds(bar.states / 1000)}`,
      `sending ${formatSeconds(bar.sending / 1000)}`,
    ];
    this.note.textContent = parts.join(" · ");
  }
}
