// Health of the layers: the change of the parameters in a round as a share of their size, and the
// drift of the workers, from the series of the job.
import { formatNumber } from "./format";
import { fetchSeries, kAllRounds, lastOf } from "./series";

const kPoints = 100;
// The usual share of its size by which a layer changes in a round.
const kHealthy = { low: 3e-4, high: 3e-2 };
// Above this drift, the workers leave one another faster than the model moves.
const kMuchDrift = 2;

type Values = (number | null)[];

// Returns a curve in a box of 100 × 24. The logarithm shows ratios of all magnitudes.
function spark(values: Values, label: string): SVGSVGElement {
  const kSvg = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(kSvg, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 100 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const logs = values.map((value) => (value !== null && value > 0 ? Math.log(value) : null));
  const known = logs.filter((value): value is number => value !== null);
  const low = Math.min(...known), high = Math.max(...known);
  const points = logs.flatMap((value, i) => value === null ? [] : [
    `${((100 * i) / Math.max(1, logs.length - 1)).toFixed(1)},${(22 - (20 * (value - low)) / (high - low || 1)).toFixed(1)}`,
  ]);
  const line = document.createElementNS(kSvg, "polyline");
  line.setAttribute("points", points.join(" "));
  svg.append(line);
  return svg;
}

function medianOf(values: Values): number {
  const known = values.filter((value): value is number => value !== null).sort((a, b) => a - b);
  return known[known.length >> 1] ?? 0;
}

// Judges all rounds together, because the changes shrink with the learning rate.
function wordOf(ratios: Values): string {
  const ratio = medianOf(ratios);
  if (ratio < kHealthy.low) return "changes little";
  return ratio > kHealthy.high ? "changes much" : "";
}

function show(cell: Element | null, values: Values | undefined, label: string, note: string): void {
  if (!cell || !values) return;
  const last = lastOf(values);
  if (last === null) return;
  const text = document.createElement("span");
  text.className = "layer-value";
  text.textContent = formatNumber(last);
  const under = document.createElement("span");
  under.className = "under";
  under.textContent = note;
  cell.replaceChildren(spark(values, label), text, under);
}

export function startLayers(job: string): { draw: () => void; refreshed: () => void } {
  const load = async (): Promise<void> => {
    const answer = await fetchSeries(job, "layer/*", kAllRounds, kPoints);
    const values = (layer: string, figure: string): Values | undefined =>
      answer.curves.find((curve) => curve.name === `layer/${layer}/${figure}`)?.mean;
    for (const row of document.querySelectorAll<HTMLElement>("[data-layer]")) {
      const layer = row.dataset.layer!;
      const sizes = values(layer, "size"), changes = values(layer, "change");
      const ratios = changes?.map((change, i) => {
        const size = sizes?.[i];
        return change !== null && size ? change / size : null;
      });
      show(row.querySelector("[data-figure=ratio]"), ratios, `Change of ${layer} by its size, by round`, wordOf(ratios ?? []));
      const drift = values(layer, "drift");
      show(row.querySelector("[data-figure=drift]"), drift, `Drift of the workers in ${layer}, by round`,
        medianOf(drift ?? []) > kMuchDrift ? "workers differ" : "");
      show(row.querySelector("[data-figure=size]"), sizes, `Mean size of the parameters of ${layer}, by round`, "");
    }
  };
  const refreshed = (): void => void load().catch(() => undefined);  // the header reports a lost connection
  refreshed();
  return { draw: () => undefined, refreshed };
}
