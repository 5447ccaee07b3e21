// Starts the scripts of a page. Every page works without them; they add charts, current figures,
// filters, sorting and keyboard commands.
import { startExamined } from "./examined";
import { startHistograms } from "./histograms";
import { startKeyboard } from "./keyboard";
import { startLayers } from "./layers";
import { LivePage } from "./live";
import { Overview, fetchEarly } from "./overview";
import { ParallelPlot } from "./parallel";
import { prepareFilter, prepareTables, startTables } from "./tables";
import { prepareTexts, startCopying } from "./texts";
import { nextTheme, startTheme } from "./theme";
import { TimelineView } from "./timeline";

interface Part {
  draw: () => void;       // again, in other colours
  refreshed: () => void;  // after the page was fetched again
}

function partsOf(page: string, job: string): Part[] {
  if (page === "overview") return [new Overview([job])];
  if (page === "compare") {
    const jobs = [...document.querySelectorAll<HTMLElement>("[data-compared]")].map((row) => row.dataset.compared!);
    return jobs.length > 0 ? [new Overview(jobs), new ParallelPlot(jobs)] : [];
  }
  if (page === "model") return [startLayers(job), startHistograms(job)];
  if (page === "timeline") return [new TimelineView()];
  return [];
}

function prepare(page: Document): void {
  prepareTexts(page);
  prepareTables(page);
  prepareFilter(page);
}

function start(): void {
  const { page = "", job = "" } = document.body.dataset;
  prepare(document);
  // On a phone, the tab of the page may be outside of the row of tabs.
  const tab = document.querySelector<HTMLElement>(".tabs [aria-current]");
  if (tab) tab.parentElement!.scrollLeft = tab.offsetLeft - (tab.parentElement!.clientWidth - tab.offsetWidth) / 2;
  const parts = partsOf(page, job);
  const redraw = (): void => parts.forEach((part) => part.draw());
  startTheme(redraw);
  startTables();
  startCopying();
  startExamined(prepare);
  startKeyboard(() => nextTheme(redraw));
  // A page whose content is expensive to compute stays as it is.
  const stays = document.querySelector("[data-stays]") !== null;
  if (page !== "login" && page !== "error" && !stays) {
    new LivePage({ prepare, refreshed: () => parts.forEach((part) => part.refreshed()) });
  }
}

// The jobs whose curves the page shows.
function jobsOf({ pathname, search }: Location): string[] {
  if (pathname === "/compare") return [...new Set(new URLSearchParams(search).getAll("job"))];
  const job = /^\/jobs\/([^/]+)$/.exec(pathname);
  return job ? [decodeURIComponent(job[1]!)] : [];
}

fetchEarly(jobsOf(location));
document.documentElement.dataset.script = "";
document.addEventListener("DOMContentLoaded", start);
