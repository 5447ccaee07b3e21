// Parallel coordinates: an axis for each setting that differs and for each result, and a line for
// each job. The values are those of the tables of the page.

const kSvg = "http://www.w3.org/2000/svg";
const kMostSettings = 8;
const kMostWords = 12;  // of an axis whose values are no numbers
const kHeight = 270, kTop = 52, kBottom = 24;
const kNarrowest = 100;  // distance of two axes, in pixels
const kLogRatio = 30;    // largest value by smallest one, from which an axis is logarithmic
const kReach = 26;       // of an axis to both sides, for the mouse
const kResults = ["Test accuracy", "Test loss", "Training loss", "Time"];

interface Axis {
  name: string;
  texts: Map<string, string>;      // by job, as the table shows them
  places: Map<string, number>;     // by job, 0 at the bottom to 1 at the top
  marks: { at: number; text: string }[];
  range: [number, number] | null;  // places that the user keeps
}

function element(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

function textOf(cell: Element | null | undefined): string {
  return cell?.textContent?.trim() ?? "";
}

// The settings that people try out come first: those of the training.
function orderOf(path: string): number {
  return path.startsWith("training.") ? 0 : path.startsWith("model.updater.") ? 1 : path.startsWith("model.") ? 2 : 3;
}

// Returns null if the axis has one value only, or too many words.
function axisOf(name: string, texts: Map<string, string>, numbers: Map<string, number>): Axis | null {
  const places = new Map<string, number>();
  const marks: { at: number; text: string }[] = [];
  const known = [...texts].filter(([, text]) => text !== "" && text !== "–");
  if (known.length > 0 && known.every(([job]) => Number.isFinite(numbers.get(job)))) {
    const values = known.map(([job]) => numbers.get(job)!);
    const low = Math.min(...values), high = Math.max(...values);
    if (low === high) return null;
    const isLog = low > 0 && high / low > kLogRatio;
    const scale = (value: number): number => isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    for (const [job] of known) places.set(job, scale(numbers.get(job)!));
    const textAt = (value: number): string => texts.get(known.find(([job]) => numbers.get(job) === value)![0])!;
    marks.push({ at: 0, text: textAt(low) }, { at: 1, text: textAt(high) });
  } else {
    const words = [...new Set(known.map(([, text]) => text))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    if (words.length < 2 || words.length > kMostWords) return null;
    words.forEach((text, i) => marks.push({ at: i / (words.length - 1), text }));
    for (const [job, text] of known) places.set(job, words.indexOf(text) / (words.length - 1));
  }
  return { name, texts, places, marks, range: null };
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export class ParallelPlot {
  private readonly section = document.getElementById("parallel")!;
  private readonly place = document.getElementById("parallel-plot")!;
  private readonly note = document.getElementById("parallel-note")!;
  private axes: Axis[] = [];
  private lines = new Map<string, SVGElement>();
  private width = 0;

  constructor(private readonly jobs: string[]) {
    requestIdleCallback(() => this.start(), { timeout: 1000 });  // after the curves
  }

  private start(): void {
    this.axes = [...this.settings(), ...this.results()];
    this.section.hidden = this.jobs.length < 2 || this.axes.length < 2;
    if (this.section.hidden) return;
    document.getElementById("parallel-reset")!.addEventListener("click", () => {
      for (const axis of this.axes) axis.range = null;
      this.draw();
    });
    this.place.addEventListener("pointermove", (event) => this.onMove(event));
    this.place.addEventListener("pointerleave", () => this.choose(null));
    new ResizeObserver(() => {
      if (Math.abs(this.place.clientWidth - this.width) > 1) this.draw();
    }).observe(this.place);
  }

  refreshed(): void {}

  // The values of the table of settings, whose rows are jobs or settings.
  private settings(): Axis[] {
    const table = document.getElementById("differences") as HTMLTableElement;
    const heads = [...table.tHead!.rows[0]!.cells].map(textOf);
    const rows = [...table.tBodies[0]!.rows].map((row) => [...row.cells].map(textOf));
    const jobsInRows = table.dataset.jobsInRows !== undefined;
    const names = jobsInRows ? heads.slice(1) : rows.filter((row) => row.length > 1).map((row) => row[0]!);
    const axes: Axis[] = [];
    const order = [...names.keys()].sort((a, b) => orderOf(names[a]!) - orderOf(names[b]!));
    for (const i of order) {
      const name = names[i]!;
      if (name === "name" || name.endsWith("sha256") || axes.length === kMostSettings) continue;
      const texts = new Map(jobsInRows
        ? rows.map((row) => [row[0]!, row[i + 1]!] as const)
        : heads.slice(1).map((job, j) => [job, rows[i]![j + 1]!] as const));
      const numbers = new Map([...texts].map(([job, text]) => [job, text === "" ? NaN : Number(text)] as const));
      // A setting that some jobs lack compares different kinds of models.
      const axis = [...texts.values()].includes("–") ? null : axisOf(name, texts, numbers);
      if (axis) axes.push(axis);
    }
    return axes;
  }

  private results(): Axis[] {
    const table = document.getElementById("results") as HTMLTableElement;
    const heads = [...table.tHead!.rows[0]!.cells].map(textOf);
    const rows = [...table.tBodies[0]!.rows];
    return kResults.flatMap((name) => {
      const column = heads.indexOf(name);
      const texts = new Map(rows.map((row) => [row.dataset.compared!, textOf(row.cells[column])] as const));
      const numbers = new Map(rows.map((row) => {
        const value = row.cells[column]?.dataset.value ?? "";
        return [row.dataset.compared!, value === "" ? NaN : Number(value)] as const;
      }));
      const axis = axisOf(name, texts, numbers);
      return axis ? [axis] : [];
    });
  }

  private xOf(index: number): number {
    const room = Math.min(90, this.width / this.axes.length / 2);
    return room + ((this.width - 2 * room) * index) / (this.axes.length - 1);
  }

  private yOf(place: number): number {
    return kTop + (1 - place) * (kHeight - kTop - kBottom);
  }

  draw(): void {
    if (this.section.hidden) return;
    this.width = Math.max(this.place.parentElement!.clientWidth, kNarrowest * this.axes.length);
    const svg = element("svg", { viewBox: `0 0 ${this.width} ${kHeight}`, role: "img", "aria-label":
      `Parallel coordinates of ${this.jobs.length} jobs over ${this.axes.map((axis) => axis.name).join(", ")}. The tables have the same values.` });
    svg.style.minWidth = `${kNarrowest * this.axes.length}px`;
    this.lines = new Map(this.jobs.map((job, i) => {
      const points = this.axes.flatMap((axis, j) => {
        const place = axis.places.get(job);
        return place === undefined ? [] : [`${this.xOf(j).toFixed(1)},${this.yOf(place).toFixed(1)}`];
      });
      const line = element("polyline", { points: points.join(" ") });
      line.style.setProperty("--key", `var(--curve-${(i % 8) + 1})`);
      return [job, line];
    }));
    svg.append(...this.lines.values(), ...this.axes.flatMap((axis, j) => this.axisElements(axis, j)));
    this.place.replaceChildren(svg);
    this.dim();
  }

  private axisElements(axis: Axis, index: number): SVGElement[] {
    const x = this.xOf(index);
    const letters = Math.floor((this.xOf(1) - this.xOf(0)) / 6.6);
    const parts = axis.name.split(".");
    const name = element("text", { x, y: 11, class: "name" }, shorten(parts.slice(-1)[0]!, letters));
    name.append(element("title", {}, axis.name));
    const under = element("text", { x, y: 25 }, shorten(parts.slice(0, -1).join("."), letters));
    // The ends are named above and below the axis, and words between them on it.
    const marks = axis.marks.map(({ at, text }) =>
      element("text", { x, y: at === 1 ? kTop - 6 : at === 0 ? kHeight - kBottom + 14 : this.yOf(at) + 4, class: "value" }, shorten(text, letters)));
    const reach = element("rect", { class: "reach", x: x - kReach, y: kTop - 8, width: 2 * kReach, height: kHeight - kTop - kBottom + 16 });
    reach.addEventListener("pointerdown", (event) => this.onDown(event, axis, reach));
    const range = element("rect", { class: "range", x: x - 6, width: 12, y: 0, height: 0 });
    if (axis.range) {
      range.setAttribute("y", String(this.yOf(axis.range[1])));
      range.setAttribute("height", String(this.yOf(axis.range[0]) - this.yOf(axis.range[1])));
    }
    const line = element("line", { class: "axis", x1: x, x2: x, y1: kTop, y2: kHeight - kBottom });
    return [line, name, under, ...marks, range, reach];
  }

  // Keeps the jobs between two places of an axis while the mouse is down.
  private onDown(down: PointerEvent, axis: Axis, reach: SVGElement): void {
    reach.setPointerCapture(down.pointerId);
    const placeAt = (event: PointerEvent): number => {
      const { top, height } = this.place.getBoundingClientRect();
      const y = ((event.clientY - top) / height) * kHeight;
      return Math.min(1, Math.max(0, 1 - (y - kTop) / (kHeight - kTop - kBottom)));
    };
    const from = placeAt(down);
    const range = reach.previousElementSibling!;
    reach.onpointermove = (event) => {
      const to = placeAt(event);
      axis.range = Math.abs(to - from) < 0.02 ? null : [Math.min(from, to) - 0.01, Math.max(from, to) + 0.01];
      range.setAttribute("y", String(axis.range ? this.yOf(axis.range[1]) : 0));
      range.setAttribute("height", String(axis.range ? this.yOf(axis.range[0]) - this.yOf(axis.range[1]) : 0));
      this.dim();
    };
    reach.onpointerup = reach.onpointercancel = () => (reach.onpointermove = null);
    axis.range = null;
    range.setAttribute("height", "0");
    this.dim();
  }

  private isKept(job: string): boolean {
    return this.axes.every(({ range, places }) => {
      const place = places.get(job);
      return !range || (place !== undefined && range[0] <= place && place <= range[1]);
    });
  }

  private dim(): void {
    let kept = 0;
    for (const [job, line] of this.lines) {
      const isKept = this.isKept(job);
      line.classList.toggle("out", !isKept);
      kept += isKept ? 1 : 0;
    }
    for (const row of document.querySelectorAll<HTMLElement>("[data-compared]")) row.hidden = !this.isKept(row.dataset.compared!);
    this.note.textContent = kept < this.jobs.length ? `${kept} of ${this.jobs.length} jobs` : "";
  }

  // Emphasizes the kept job whose line is nearest to the mouse.
  private onMove(event: PointerEvent): void {
    const { left, top, width, height } = this.place.getBoundingClientRect();
    if (event.buttons !== 0 || width === 0) return;
    const x = ((event.clientX - left) / width) * this.width, y = ((event.clientY - top) / height) * kHeight;
    let nearest: string | null = null, least = 14;
    for (const job of this.jobs) {
      if (!this.isKept(job)) continue;
      for (let j = 0; j + 1 < this.axes.length; ++j) {
        const a = this.axes[j]!.places.get(job), b = this.axes[j + 1]!.places.get(job);
        const x0 = this.xOf(j), x1 = this.xOf(j + 1);
        if (a === undefined || b === undefined || x < x0 || x > x1) continue;
        const share = (x - x0) / (x1 - x0);
        const distance = Math.abs(this.yOf(a + share * (b - a)) - y);
        if (distance < least) [nearest, least] = [job, distance];
      }
    }
    this.choose(nearest);
  }

  private choose(job: string | null): void {
    for (const [name, line] of this.lines) line.classList.toggle("chosen", name === job);
    if (job === null) return;
    this.lines.get(job)!.parentElement!.insertBefore(this.lines.get(job)!, this.place.querySelector(".axis"));
    const values = this.axes.map((axis) => `${axis.name.split(".").pop()} ${axis.texts.get(job) || "–"}`);
    this.note.textContent = `${job}: ${values.join(", ")}`;
  }
}
