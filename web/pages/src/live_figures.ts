// Shows the figures of a round when its event arrives, before the page is fetched again.
import { formatCount, formatNumber, formatPercent } from "./format";

export interface RoundEvent {
  round: number;
  [member: string]: unknown;
}

const kFormats: Record<string, (value: number) => string> = { count: formatCount, number: formatNumber, percent: formatPercent };

// Elements with data-event name a member of the event, such as "train.loss", and have data-format.
export function showRound(event: RoundEvent): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-event]")) {
    const value = place.dataset.event!.split(".").reduce<unknown>((of, name) => (of as Record<string, unknown> | undefined)?.[name], event);
    if (typeof value !== "number") continue;
    if (place instanceof HTMLProgressElement) place.value = value;
    else place.textContent = kFormats[place.dataset.format ?? "count"]!(value);
  }
}

// Returns the last round that the fetched page has.
export function roundOf(page: Document): number {
  return Number(page.getElementById("facts")?.dataset.rounds ?? 0);
}
