// The horizontal axis of charts: rounds, epochs, running time or examples.
import { formatCount, formatNumber, formatSeconds } from "./format";
import { type SeriesAnswer, roundsOf } from "./series";

// Seconds: parts of a minute, of an hour and of a day.
const kTimeSteps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600,
  7200, 14400, 21600, 43200, 86400, 172800, 432000, 864000, 4320000];

export type AxisKind = "round" | "epoch" | "time" | "examples";

// Returns the sums of rounds up to each entry of the curve, from 0 at round 0.
function sumsOf(answer: SeriesAnswer, valueOf: (entry: number) => number): { rounds: number[]; sums: number[] } {
  const curve = answer.curves.find((found) => found.name === "round_seconds");
  const rounds = [0], sums = [0];
  if (!curve) return { rounds, sums };
  roundsOf(curve, answer.rounds).forEach((round, i) => {
    const before = rounds[rounds.length - 1]!;
    rounds.push(round);
    sums.push(sums[sums.length - 1]! + valueOf(i) * (round - before));
  });
  return { rounds, sums };
}

// Linear interpolation of ascending `from` to `to`.
function interpolate(from: number[], to: number[], value: number): number {
  let low = 0, high = from.length - 1;
  if (high < 1 || value <= from[0]!) return to[0] ?? value;
  if (value >= from[high]!) low = high - 1;
  else {
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (from[middle]! <= value) low = middle;
      else high = middle;
    }
  }
  const width = from[low + 1]! - from[low]!;
  const share = width > 0 ? Math.min(1, (value - from[low]!) / width) : 1;
  return to[low]! + share * (to[low + 1]! - to[low]!);
}

export class Axis {
  private readonly rounds: number[];
  private readonly values: number[];

  // `all` has the series round_seconds and examples_per_second of all rounds.
  constructor(readonly kind: AxisKind, all: SeriesAnswer, roundsOfEpoch: number) {
    const at = (name: string, i: number): number =>
      all.curves.find((curve) => curve.name === name)?.mean[i] ?? 0;
    const seconds = (i: number): number => at("round_seconds", i);
    const end = Math.max(1, all.rounds);
    this.rounds = [0, end];
    this.values = [0, kind === "epoch" ? end / Math.max(1, roundsOfEpoch) : end];
    if (kind === "time" || kind === "examples") {
      const { rounds, sums } = sumsOf(all, kind === "time" ? seconds : (i) => seconds(i) * at("examples_per_second", i));
      if (rounds.length > 1) [this.rounds, this.values] = [rounds, sums];
    }
  }

  toValue(round: number): number {
    return interpolate(this.rounds, this.values, round);
  }

  toRound(value: number): number {
    return interpolate(this.values, this.rounds, value);
  }

  get label(): string {
    return { round: "Round", epoch: "Epoch", time: "Running time", examples: "Examples" }[this.kind];
  }

  // Distances of marks. Rounds and examples are whole numbers.
  get steps(): number[] {
    if (this.kind === "time") return kTimeSteps;
    const steps: number[] = [];
    for (let power = this.kind === "epoch" ? -3 : 0; power < 15; ++power) {
      for (const digit of [1, 2, 5]) steps.push(digit * 10 ** power);
    }
    return steps;
  }

  text(value: number): string {
    if (this.kind === "time") return value === 0 ? "0" : formatSeconds(value);
    return this.kind === "epoch" ? formatNumber(value) : formatCount(value);
  }
}
