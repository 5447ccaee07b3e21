// Distributions of the values of each layer over the rounds, from the histograms of the job: bands
// that hold 90 % and 50 % of the values, and the median.
import { formatCount, formatNumber } from "./format";

const kMostRounds = 40;
// Fewer rounds are fetched of a model with many layers.
const kMostColumns = 4000;
const kWidth = 100, kHeight = 40;

interface Histogram {
  name: string;
  rounds: number[];
  quantiles: number[][];  // one for each of the answer's shares, by round
}

interface Answer {
  shares: number[];
  histograms: Histogram[];
  next_first?: number;
}

async function fetchHistograms(job: string, points: number): Promise<Answer> {
  const all: Answer = { shares: [], histograms: [] };
  const byName = new Map<string, Histogram>();
  for (let first = 1, left = points; left > 0;) {
    const query = new URLSearchParams({ first: String(first), points: String(left) });
    const answer = await fetch(`/api/v1/jobs/${encodeURIComponent(job)}/histograms?${query}`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = (await answer.json()) as Answer;
    all.shares = page.shares;
    for (const histogram of page.histograms) {
      const known = byName.get(histogram.name);
      if (known) {
        known.rounds.push(...histogram.rounds);
        known.quantiles.push(...histogram.quantiles);
      } else {
        byName.set(histogram.name, histogram);
      }
    }
    if (!page.next_first) break;
    first = page.next_first;
    left -= Math.max(1, ...page.histograms.map(({ rounds }) => rounds.length));
  }
  all.histograms = [...byName.values()];
  return all;
}

function shape(kind: "polygon" | "polyline", name: string, points: [number, number][]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  element.setAttribute("class", name);
  element.setAttribute("points", points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
  return element;
}

function columnOf({ quantiles }: Histogram, shares: number[], share: number): number[] {
  return quantiles.map((values) => values[shares.indexOf(share)]!);
}

// Returns the bounds of the wider band, which are the lower and the upper edge of the chart.
function boundsOf(histogram: Histogram, shares: number[]): [number, number] {
  return [Math.min(...columnOf(histogram, shares, 0.05)), Math.max(...columnOf(histogram, shares, 0.95))];
}

// Returns the chart.
function bands(histogram: Histogram, shares: number[], label: string): SVGSVGElement {
  const column = (share: number): number[] => columnOf(histogram, shares, share);
  const { rounds } = histogram, [bottom, top] = boundsOf(histogram, shares);
  const first = rounds[0]!, last = rounds.at(-1)!;
  // A single round is a chart of constant bands.
  const xs = rounds.length === 1 ? [0, kWidth] : rounds.map((round) => (kWidth * (round - first)) / (last - first));
  const points = (values: number[]): [number, number][] => xs.map((x, i) =>
    [x, kHeight - (kHeight * ((values[i] ?? values[0]!) - bottom)) / (top - bottom || 1)]);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "bands");
  svg.setAttribute("viewBox", `0 0 ${kWidth} ${kHeight}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.append(
    shape("polygon", "wide", [...points(column(0.05)), ...points(column(0.95)).reverse()]),
    shape("polygon", "narrow", [...points(column(0.25)), ...points(column(0.75)).reverse()]),
    shape("polyline", "median", points(column(0.5))),
  );
  return svg;
}

// Describes the chart for screen readers.
function wordsOf({ name, rounds, quantiles }: Histogram, shares: number[]): string {
  const [, layer, of] = /^layer\/(.*)\/([^/]*)$/.exec(name) ?? ["", name, "values"];
  const range = (i: number): string => {
    const at = (share: number): string => formatNumber(quantiles[i]![shares.indexOf(share)]!);
    return `90 % of the values are between ${at(0.05)} and ${at(0.95)}, the median is ${at(0.5)}`;
  };
  const begin = rounds.length > 1 ? `In round ${formatCount(rounds[0]!)}, ${range(0)}. ` : "";
  return `Distribution of the ${of} of ${layer} by round. ${begin}In round ${formatCount(rounds.at(-1)!)}, ${range(rounds.length - 1)}.`;
}

export function startHistograms(job: string): { draw: () => void; refreshed: () => void } {
  const load = async (): Promise<void> => {
    const cells = document.querySelectorAll<HTMLElement>("[data-histogram]");
    if (cells.length === 0) return;
    const points = Math.max(8, Math.min(kMostRounds, Math.floor(kMostColumns / cells.length)));
    const answer = await fetchHistograms(job, points);
    const byName = new Map(answer.histograms.map((histogram) => [histogram.name, histogram]));
    for (const cell of cells) {
      const histogram = byName.get(cell.dataset.histogram!);
      if (!histogram) continue;
      const under = document.createElement("span");
      under.className = "under";
      const [low, high] = boundsOf(histogram, answer.shares);
      under.textContent = `rounds ${formatCount(histogram.rounds[0]!)} to ${formatCount(histogram.rounds.at(-1)!)}, values ${formatNumber(low)} to ${formatNumber(high)}`;
      cell.replaceChildren(bands(histogram, answer.shares, wordsOf(histogram, answer.shares)), under);
    }
  };
  const refreshed = (): void => void load().catch(() => undefined);  // the header reports a lost connection
  refreshed();
  return { draw: () => undefined, refreshed };
}
