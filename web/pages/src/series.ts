// Curves of jobs as the API returns them, and what the charts make of them.

export interface Curve {
  name: string;
  first: number;  // round of the first entry, or the first of the rounds that it summarizes
  step: number;   // rounds of an entry
  mean: (number | null)[];
  min?: (number | null)[];
  max?: (number | null)[];
}

export interface SeriesAnswer {
  job: string;
  rounds: number;
  series: string[];
  curves: Curve[];
  rolled_back: { number: number; first: number; last: number }[];
}

export interface Range {
  first: number;
  last: number;  // 0: up to the last round
}
export const kAllRounds: Range = { first: 0, last: 0 };

// With a `rollback`, returns the rounds that this rollback removed.
export async function fetchSeries(job: string, names: string, range: Range, points: number, rollback = 0): Promise<SeriesAnswer> {
  const query = new URLSearchParams({ series: names, points: String(points) });
  if (rollback > 0) query.set("rollback", String(rollback));
  if (range.first > 0) query.set("first", String(range.first));
  if (range.last > 0) query.set("last", String(range.last));
  const answer = await fetch(`/api/v1/jobs/${encodeURIComponent(job)}/metrics?${query}`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as SeriesAnswer;
}

// Returns the curves of all rounds of several jobs, in the order of the jobs.
export async function fetchSeriesOfJobs(jobs: string[], names: string, points: number): Promise<SeriesAnswer[]> {
  const query = new URLSearchParams({ series: names, points: String(points) });
  for (const job of jobs) query.append("job", job);
  const answer = await fetch(`/api/v1/metrics?${query}`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return ((await answer.json()) as { jobs: SeriesAnswer[] }).jobs;
}

// The last round of each entry.
export function roundsOf(curve: Curve, rounds: number): number[] {
  return curve.mean.map((_, i) => Math.min(rounds, curve.first + (i + 1) * curve.step - 1));
}

// Exponential moving average without the bias towards its start. Missing values stay missing.
export function smoothed(values: (number | null)[], factor: number): (number | null)[] {
  if (factor === 0) return values;
  let sum = 0, weight = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = factor * sum + (1 - factor) * value;
    weight = factor * weight + (1 - factor);
    return sum / weight;
  });
}

export function lastOf(values: (number | null | undefined)[]): number | null {
  for (let i = values.length - 1; i >= 0; --i) if (values[i] != null) return values[i]!;
  return null;
}
