// The curves of one job, or of several jobs over each other.
import { Axis, type AxisKind } from "./axis";
import { Chart, type Line, type Mark } from "./chart";
import { formatBytes, formatNumber, formatPercent, formatSeconds } from "./format";
import { type Curve, type Range, type SeriesAnswer, fetchSeries, fetchSeriesOfJobs, kAllRounds, roundsOf } from "./series";

const kPoints = 600;          // of a curve
const kPointsOfJobs = 6000;   // of a curve in all compared jobs
const kFewestPoints = 60;
const kMostRemoved = 20;      // rollbacks whose rounds are shown, the newest ones
const kPointsOfRemoved = 200;
const kShare = 1 / 20;  // of the time, for fetching curves
// Shortest time between two fetches of the curves in ms. Long curves change little in this time.
function shortestPause(rounds: number): number {
  return rounds < 300 ? 2000 : rounds < kPoints ? 5000 : 15000;
}
const kNames = "train/*,test/*,learning_rate,round_seconds,examples_per_second,bytes/*";

interface ChartKind {
  title: string;
  names: [series: string, label: string][];
  format: (value: number) => string;
  hasLog: boolean;
  steps?: number[];
}

// Sizes are shown in KiB and MiB, so their marks are powers of two.
const kByteSteps = Array.from({ length: 50 }, (_, power) => 2 ** power);

const kCharts: ChartKind[] = [
  { title: "Loss", names: [["train/loss", "training"], ["test/loss", "test"]], format: formatNumber, hasLog: true },
  { title: "Accuracy", names: [["train/accuracy", "training"], ["test/accuracy", "test"]], format: formatPercent, hasLog: false },
  { title: "R²", names: [["test/r2", "test"]], format: formatNumber, hasLog: false },
  { title: "Mean absolute error", names: [["test/mae", "test"]], format: formatNumber, hasLog: true },
  { title: "Mean squared error", names: [["test/mse", "test"]], format: formatNumber, hasLog: true },
  {
    title: "Mean of classes", names: [["test/macro_f1", "F1"], ["test/macro_precision", "precision"],
      ["test/macro_recall", "recall"]], format: formatPercent, hasLog: false,
  },
  {
    title: "Agreement and ranking", names: [["test/roc_auc", "ROC AUC"], ["test/average_precision", "average precision"],
      ["test/kappa", "kappa"], ["test/mcc", "MCC"]], format: formatNumber, hasLog: false,
  },
  { title: "Learning rate", names: [["learning_rate", "learning rate"]], format: formatNumber, hasLog: true },
  { title: "Speed, examples/s", names: [["examples_per_second", "examples/s"]], format: formatNumber, hasLog: false },
  { title: "Time of a round", names: [["round_seconds", "time"]], format: formatSeconds, hasLog: true },
  { title: "Traffic of a round", names: [["bytes/fetched", "fetched"], ["bytes/contributed", "contributed"]], format: formatBytes, hasLog: false, steps: kByteSteps },
];

interface Tools {
  axis: AxisKind;
  smoothing: number;
  isLog: boolean;
  removed: boolean;  // shows rounds that were rolled back
}

function toolsOf(): Tools {
  const place = document.getElementById("curve-tools")!;
  const checked = place.querySelector<HTMLInputElement>("[name=axis]:checked");
  return {
    axis: (checked?.value ?? "round") as AxisKind,
    smoothing: Number(place.querySelector<HTMLInputElement>("[name=smoothing]")!.value),
    isLog: place.querySelector<HTMLInputElement>("[name=log]")!.checked,
    removed: place.querySelector<HTMLInputElement>("[name=removed]")?.checked ?? false,
  };
}

function pointsOf(jobs: number): number {
  return Math.max(kFewestPoints, Math.min(kPoints, Math.floor(kPointsOfJobs / jobs)));
}

// Jobs of a request for curves. Several requests use several threads of the server.
const kJobsOfRequest = 20;

// Fetches the curves of all rounds.
async function fetchAll(jobs: string[]): Promise<SeriesAnswer[]> {
  const points = pointsOf(jobs.length);
  if (jobs.length === 1) return [await fetchSeries(jobs[0]!, kNames, kAllRounds, points)];
  const parts: Promise<SeriesAnswer[]>[] = [];
  for (let i = 0; i < jobs.length; i += kJobsOfRequest) parts.push(fetchSeriesOfJobs(jobs.slice(i, i + kJobsOfRequest), kNames, points));
  return (await Promise.all(parts)).flat();
}

// A fetch that began before the page was there.
let early: Promise<SeriesAnswer[]> | null = null;

// Begins to fetch the curves while the browser still reads the page.
export function fetchEarly(jobs: string[]): void {
  if (jobs.length === 0) return;
  early = fetchAll(jobs);
  early.catch(() => undefined);  // reported when it is used
}

export class Overview {
  private readonly charts = new Map<string, Chart>();
  private readonly place = document.getElementById("charts")!;
  private range: Range = kAllRounds;
  private all = new Map<string, SeriesAnswer>();    // of all rounds, for the axis
  private shown = new Map<string, SeriesAnswer>();  // of the range
  private removed = new Map<number, SeriesAnswer>();  // rounds that were rolled back, by the rollback
  private busy = false;
  private duration = 0;  // of the last fetch of the curves, in ms
  private loaded = 0;  // when the curves were fetched last
  private rounds = "";  // what the page said when the curves were fetched

  constructor(private readonly jobs: string[]) {
    const tools = document.getElementById("curve-tools")!;
    tools.addEventListener("input", (event) => {
      if ((event.target as HTMLInputElement).name === "removed") void this.load();
      else this.draw();
    });
    tools.querySelector("[name=reset]")!.addEventListener("click", () => this.zoom(kAllRounds));
    void this.load();
  }

  private facts(): DOMStringMap {
    return document.getElementById("facts")?.dataset ?? {};
  }

  // Fetches the curves again if rounds were added.
  refreshed(): void {
    if (this.jobs.length === 1 && this.facts().rounds === this.rounds) return;
    const rounds = Math.max(0, ...[...this.all.values()].map((answer) => answer.rounds));
    const isEnded = !document.body.hasAttribute("data-job-live");
    const pause = Math.max(shortestPause(rounds), this.duration / kShare);
    if (!isEnded && Date.now() - this.loaded < pause) return;
    void this.load();
  }

  draw(): void {
    const answers = [...this.shown.values()];
    if (answers.length === 0) return;
    const tools = toolsOf();
    const axes = new Map(this.jobs.map((job) => [job, this.axisOf(job, tools.axis)]));
    const longest = [...axes].reduce((a, b) => (this.end(b) > this.end(a) ? b : a));
    const axis = longest[1];
    const from = this.range.first > 1 ? axis.toValue(this.range.first) : 0;
    const to = this.range.last > 0 ? axis.toValue(this.range.last) : this.end(longest);
    for (const kind of kCharts) {
      const { lines, label } = this.jobs.length === 1
        ? { lines: [...this.linesOf(kind, axis), ...(tools.removed ? this.removedLines(kind, axis) : [])], label: "" }
        : this.linesOfJobs(kind, axes);
      if (lines.length === 0) continue;
      const title = label === "" || kind.names.length === 1 ? kind.title : `${kind.title}, ${label}`;
      let chart = this.charts.get(kind.title);
      if (!chart) this.charts.set(kind.title, (chart = new Chart(this.place, title, kind.format, kind.steps)));
      chart.update(lines, {
        axis, from, to: Math.max(to, from + 1e-9), smoothing: tools.smoothing,
        isLog: tools.isLog && kind.hasLog, marks: this.marks(axis),
        zoom: (low, high) => this.zoomTo(axis, low, high),
        reset: () => this.zoom(kAllRounds),
      });
    }
  }

  private end([job, axis]: [string, Axis]): number {
    return axis.toValue(this.all.get(job)?.rounds ?? 1);
  }

  private axisOf(job: string, kind: AxisKind): Axis {
    const facts = this.jobs.length === 1 ? this.facts() : document.getElementById(`facts-${job}`)?.dataset ?? {};
    const ofEpoch = Number(facts.roundsTotal) / Math.max(1, Number(facts.epochsTotal));
    return new Axis(kind, this.all.get(job)!, ofEpoch || 1);
  }

  private async load(): Promise<void> {
    if (this.busy || this.facts().rounds === "0") return;
    this.busy = true;
    this.rounds = this.facts().rounds ?? "";
    this.loaded = Date.now();
    const points = pointsOf(this.jobs.length);
    try {
      const begun = early;
      early = null;
      const isWhole = this.range.first <= 1 && this.range.last === 0;
      for (const answer of await (begun ?? fetchAll(this.jobs))) {
        this.all.set(answer.job, answer);
        if (isWhole) this.shown.set(answer.job, answer);
      }
      if (!isWhole) {
        await Promise.all(this.jobs.map(async (job) => this.shown.set(job, await fetchSeries(job, kNames, this.range, points))));
      }
      await this.loadRemoved();
    } catch {
      this.rounds = "";  // try again at the next refresh; the header reports a lost connection
    }
    this.busy = false;
    this.duration = Date.now() - this.loaded;
    this.draw();
  }

  // Fetches the rounds that were rolled back, if the user wants to see them. They never change.
  private async loadRemoved(): Promise<void> {
    if (this.jobs.length !== 1) return;
    const known = this.all.get(this.jobs[0]!)!.rolled_back;
    const tool = document.getElementById("removed-tool");
    if (tool) tool.hidden = known.length === 0;
    if (!toolsOf().removed) return;
    await Promise.all(known.slice(-kMostRemoved).map(async ({ number }) => {
      if (this.removed.has(number)) return;
      this.removed.set(number, await fetchSeries(this.jobs[0]!, kNames, kAllRounds, kPointsOfRemoved, number));
    }));
  }

  private zoom(range: Range): void {
    this.range = range;
    void this.load();
  }

  private zoomTo(axis: Axis, low: number, high: number): void {
    const rounds = Math.max(...[...this.all.values()].map((answer) => answer.rounds));
    const first = Math.max(1, Math.floor(axis.toRound(low)));
    const last = Math.min(rounds, Math.max(first + 2, Math.ceil(axis.toRound(high))));
    this.zoom(first <= 1 && last >= rounds ? kAllRounds : { first: Math.min(first, Math.max(1, last - 2)), last });
  }

  private line(curve: Curve, rounds: number, axis: Axis, label: string, colour: number): Line {
    const line: Line = { label, colour, x: roundsOf(curve, rounds).map((round) => axis.toValue(round)), mean: curve.mean };
    if (curve.min && curve.max) Object.assign(line, { min: curve.min, max: curve.max });
    return line;
  }

  private linesOf(kind: ChartKind, axis: Axis): Line[] {
    const answer = this.shown.get(this.jobs[0]!)!;
    return kind.names.flatMap(([name, label], i) => {
      const curve = answer.curves.find((found) => found.name === name);
      // Curves of the test set have one colour in all charts.
      const colour = kind.names.length === 1 && name.startsWith("test/") ? 2 : i + 1;
      return curve ? [this.line(curve, answer.rounds, axis, label, colour)] : [];
    });
  }

  private removedLines(kind: ChartKind, axis: Axis): Line[] {
    const rollbacks = this.all.get(this.jobs[0]!)!.rolled_back;
    return [...this.removed].flatMap(([number, answer]) => {
      const last = rollbacks.find((rollback) => rollback.number === number)?.last;
      if (last === undefined) return [];
      return kind.names.flatMap(([name], i) => {
        const curve = answer.curves.find((found) => found.name === name);
        if (!curve || curve.mean.every((value) => value === null)) return [];
        const line = this.line(curve, last, axis, `rollback ${number}`, kind.names.length === 1 && name.startsWith("test/") ? 2 : i + 1);
        return [{ label: line.label, colour: line.colour, x: line.x, mean: line.mean, isRemoved: true }];
      });
    });
  }

  // One line for each job: of the first figure that all jobs have, preferably of the test set.
  private linesOfJobs(kind: ChartKind, axes: Map<string, Axis>): { lines: Line[]; label: string } {
    const curveOf = (job: string, name: string): Curve | undefined =>
      this.shown.get(job)!.curves.find((curve) => curve.name === name);
    const names = [...kind.names].sort(([a], [b]) => Number(b.startsWith("test/")) - Number(a.startsWith("test/")));
    const [name, label] = names.find(([found]) => this.jobs.every((job) => curveOf(job, found))) ?? names[0]!;
    const lines = this.jobs.flatMap((job, i) => {
      const curve = curveOf(job, name);
      return curve ? [this.line(curve, this.shown.get(job)!.rounds, axes.get(job)!, job, (i % 8) + 1)] : [];
    });
    return { lines, label };
  }

  private marks(axis: Axis): Mark[] {
    if (this.jobs.length !== 1) return [];
    const facts = this.facts();
    const marks: Mark[] = [];
    for (const { first, last } of this.all.get(this.jobs[0]!)!.rolled_back) {
      marks.push({ kind: "rollback", x: axis.toValue(first - 1), end: axis.toValue(last) });
    }
    // "restart:12 lost:30", with the round before
    for (const mark of (facts.marks ?? "").split(" ").filter(Boolean)) {
      const [kind, round] = mark.split(":");
      marks.push({ kind: kind as Mark["kind"], x: axis.toValue(Number(round)) });
    }
    for (const round of (facts.checkpoints ?? "").split(" ").filter(Boolean)) {
      marks.push({ kind: "checkpoint", x: axis.toValue(Number(round)) });
    }
    if (facts.bestRound) marks.push({ kind: "best", x: axis.toValue(Number(facts.bestRound)) });
    this.showLegend(marks);
    return marks;
  }

  private showLegend(marks: Mark[]): void {
    const legend = document.getElementById("mark-legend");
    if (!legend) return;
    legend.hidden = marks.length === 0;
    for (const key of legend.children) {
      const isShown = key.classList.contains("m-removed")
        ? toolsOf().removed && this.removed.size > 0
        : marks.some((mark) => key.classList.contains(`m-${mark.kind}`));
      (key as HTMLElement).hidden = !isShown;
    }
  }
}
