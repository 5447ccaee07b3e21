// Units over time: one row for each slot of an executor.
import { colourOf } from "./chart";
import { formatSeconds } from "./format";

// Distances of the marks of the axis, in seconds.
const kTicks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

interface Unit {
  kind: "train" | "evaluate";
  round: number;
  index: number;
  start_ms: number;
  end_ms: number;  // missing: it runs
  outcome: string;
}

interface Timeline {
  first_ms: number;
  last_ms: number;
  slots: { executor: string; slot: number; units: Unit[] }[];
}

class TimelineView {
  private readonly place = document.getElementById("timeline")!;
  private readonly note = document.getElementById("timeline-note")!;
  private data: Timeline | null = null;
  private from = 0;
  private to = 0;
  private isWhole = true;

  constructor(private readonly job: string) {
    this.place.addEventListener("keydown", (event) => this.onKey(event));
    this.place.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.place.addEventListener("mousemove", (event) => this.onMove(event));
    new ResizeObserver(() => this.draw()).observe(this.place);
    this.refreshed();
  }

  refreshed(): void {
    void this.load().catch(() => undefined);  // the header reports a lost connection
  }

  private async load(): Promise<void> {
    const answer = await fetch(`/api/v1/jobs/${encodeURIComponent(this.job)}/timeline`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    this.data = (await answer.json()) as Timeline;
    document.getElementById("no-timeline")!.hidden = this.data.slots.length > 0;
    if (this.isWhole) [this.from, this.to] = [this.data.first_ms, this.data.last_ms];
    this.build();
    this.draw();
  }

  private build(): void {
    const slots = this.data!.slots;
    if (this.place.querySelectorAll(".slot").length === slots.length) return;
    const rows = slots.flatMap((slot) => {
      const name = document.createElement("span");
      name.className = "slot";
      name.textContent = slot.slot > 0 ? `${slot.executor}, slot ${slot.slot + 1}` : slot.executor;
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${slot.executor}: ${slot.units.length} units`);
      return [name, canvas];
    });
    const axis = document.createElement("canvas");
    axis.className = "axis";
    axis.setAttribute("aria-hidden", "true");
    this.place.replaceChildren(...rows, axis);
  }

  draw(): void {
    if (!this.data) return;
    const canvases = [...this.place.querySelectorAll("canvas")];
    this.data.slots.forEach((slot, i) => this.drawSlot(canvases[i]!, slot.units));
    const axis = canvases[canvases.length - 1];
    if (axis) this.drawAxis(axis);
  }

  private contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const context = canvas.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    return context;
  }

  private xOf(ms: number, width: number): number {
    return ((ms - this.from) / Math.max(1, this.to - this.from)) * width;
  }

  private drawSlot(canvas: HTMLCanvasElement, units: Unit[]): void {
    const context = this.contextOf(canvas);
    const width = canvas.clientWidth;
    const colours = { train: colourOf("curve-1"), evaluate: colourOf("curve-3"), lost: colourOf("bad") };
    for (const unit of units) {
      const x = this.xOf(unit.start_ms, width), end = this.xOf(unit.end_ms ?? this.to, width);
      if (end < 0 || x > width) continue;
      context.fillStyle = unit.outcome === "lost" ? colours.lost : colours[unit.kind];
      context.globalAlpha = unit.outcome === "open" ? 0.45 : 1;
      context.fillRect(x, 4, Math.max(1, end - x - (end - x > 3 ? 1 : 0)), 14);
    }
  }

  private drawAxis(canvas: HTMLCanvasElement): void {
    const context = this.contextOf(canvas);
    const width = canvas.clientWidth;
    context.fillStyle = colourOf("soft");
    context.font = "11px system-ui, sans-serif";
    const { first_ms } = this.data!;
    const seconds = (this.to - this.from) / 1000;
    const wished = seconds / Math.max(2, width / 110);
    const step = kTicks.find((tick) => tick >= wished) ?? Math.ceil(wished / 86400) * 86400;
    for (let tick = Math.ceil((this.from - first_ms) / 1000 / step) * step; tick * 1000 + first_ms <= this.to; tick += step) {
      const x = this.xOf(first_ms + 1000 * tick, width);
      context.textAlign = x < 20 ? "left" : x > width - 20 ? "right" : "center";
      context.fillText(tick === 0 ? "0" : formatSeconds(tick), x, 15);
    }
  }

  private zoom(at: number, factor: number): void {
    const { first_ms, last_ms } = this.data!;
    this.from = Math.max(first_ms, at - (at - this.from) * factor);
    this.to = Math.min(last_ms, Math.max(this.from + 10, at + (this.to - at) * factor));
    this.isWhole = this.from <= first_ms && this.to >= last_ms;
    this.draw();
  }

  private timeAt(event: MouseEvent): number {
    const canvas = this.place.querySelector("canvas")!.getBoundingClientRect();
    return this.from + ((event.clientX - canvas.left) / canvas.width) * (this.to - this.from);
  }

  private onWheel(event: WheelEvent): void {
    if (!this.data || !(event.ctrlKey || event.metaKey)) return;  // the wheel alone scrolls the page
    event.preventDefault();
    this.zoom(this.timeAt(event), event.deltaY > 0 ? 1.25 : 0.8);
  }

  private onKey(event: KeyboardEvent): void {
    if (!this.data) return;
    const width = this.to - this.from, middle = this.from + width / 2;
    if (event.key === "+" || event.key === "=") this.zoom(middle, 0.5);
    else if (event.key === "-") this.zoom(middle, 2);
    else if (event.key === "0") this.zoom(middle, Infinity);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const by = (event.key === "ArrowLeft" ? -1 : 1) * Math.min(width / 4, event.key === "ArrowLeft" ? this.from - this.data.first_ms : this.data.last_ms - this.to);
      this.from += by;
      this.to += by;
      this.draw();
    } else return;
    event.preventDefault();
  }

  private onMove(event: MouseEvent): void {
    const canvases = [...this.place.querySelectorAll("canvas")];
    const slot = this.data?.slots[canvases.indexOf(event.target as HTMLCanvasElement)];
    if (!slot) return;
    const ms = this.timeAt(event);
    const unit = slot.units.find((found) => found.start_ms <= ms && ms <= (found.end_ms ?? this.to));
    this.note.textContent = unit
      ? `${slot.executor}: ${unit.kind === "train" ? "worker" : "evaluation range"} ${unit.index} of round ${unit.round}, ` +
        `${formatSeconds(((unit.end_ms ?? this.to) - unit.start_ms) / 1000)}${unit.outcome === "settled" ? "" : `, ${unit.outcome}`}`
      : "";
  }
}

export function startTimeline(job: string): { draw: () => void; refreshed: () => void } {
  return new TimelineView(job);
}
