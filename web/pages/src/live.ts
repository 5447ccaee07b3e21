// Keeps a page current. It fetches the page again and morphs the elements with data-live. Pages of
// a job that has not ended do so when an event arrives, all others every few seconds.
//
// Browsers open at most six connections to one server. An event stream holds one of them, so at
// most two pages of a browser have a stream, and the others fetch more often.
import { type RoundEvent, roundOf, showRound } from "./live_figures";
import { morph } from "./morph";

const kEventTypes = ["state", "round", "epoch", "checkpoint", "warning", "rollback", "result"];
const kStreams = 2;
const kWithStream = 15000, kWithout = 5000;
const kLongestRetry = 10000;
// A page fetches at most this share of the time, so that many pages do not block one another.
const kShare = 1 / 20;

export interface LiveOptions {
  prepare: (page: Document) => void;  // applied to each new page before it is shown
  refreshed: () => void;
}

export class LivePage {
  private source: EventSource | null = null;
  private timer = 0;
  private last = 0;
  private duration = 0;  // of the last fetch, in ms
  private failures = 0;
  private running = false;
  private hasEnded = false;  // nothing is fetched any more
  private round: RoundEvent | null = null;  // the last event of a round that counts
  private frame = 0;                        // of the display that will show `round`; 0 if none will

  constructor(private readonly options: LiveOptions) {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.schedule(0);
    });
    window.addEventListener("online", () => this.schedule(0));
    void this.openStream();
    this.schedule(this.period());
  }

  private isLive(): boolean {
    return document.body.hasAttribute("data-job-live");
  }

  // Shortest time between two fetches in ms. The server makes it longer if many pages are open.
  private shortestPause(): number {
    return Number(document.body.dataset.pauseMs);
  }

  private period(): number {
    const usual = this.source ? kWithStream : kWithout;
    const wished = document.body.dataset.job && !this.isLive() ? 6 * kWithout : usual;
    return Math.max(wished, this.duration / kShare);
  }

  // Fetches the page after `delay` ms, unless this happens earlier anyway.
  private schedule(delay: number): void {
    if (this.hasEnded) return;
    const pause = Math.max(this.shortestPause(), this.failures > 0 ? 0 : this.duration / kShare);
    const earliest = Math.max(0, this.last + pause - Date.now());
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.refresh(), Math.max(delay, earliest));
  }

  private async refresh(): Promise<void> {
    if (this.running || this.hasEnded || document.hidden) return;
    this.running = true;
    this.last = Date.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.redirected && new URL(answer.url).pathname === "/login") {
        location.reload();  // which leads to the login; nothing is fetched until then
        return;
      }
      if (answer.status === 404 && document.body.dataset.job) {
        this.end();
        return;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      this.show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      this.failures = 0;
      this.duration = Date.now() - this.last;
      this.report("");
    } catch {
      ++this.failures;
      this.report("Reconnecting…");
    }
    this.running = false;
    this.schedule(this.failures === 0 ? this.period() : Math.min(kLongestRetry, 500 * 2 ** this.failures));
  }

  private show(page: Document): void {
    this.options.prepare(page);
    document.body.toggleAttribute("data-job-live", page.body.hasAttribute("data-job-live"));
    document.body.dataset.pauseMs = page.body.dataset.pauseMs;
    for (const next of page.querySelectorAll("[data-live][id]")) {
      const now = document.getElementById(next.id);
      if (now) morph(now, next);
    }
    for (const now of document.querySelectorAll("[data-live][id]")) {
      if (!page.getElementById(now.id)) now.remove();
    }
    // The page may be a second older than the event.
    if (this.round && roundOf(page) < this.round.round) showRound(this.round);
    document.title = page.title;
    this.options.refreshed();
  }

  // The job was deleted: what the page shows stays, but nothing can be done with the job any more.
  private end(): void {
    clearTimeout(this.timer);
    this.hasEnded = true;
    document.body.removeAttribute("data-job-live");
    for (const form of document.querySelectorAll('form[action$="/actions"]')) (form.closest("details") ?? form).remove();
    this.report("This job was deleted");
  }

  private report(text: string): void {
    const place = document.getElementById("connection");
    if (!place || place.textContent === text) return;
    place.textContent = text;
    place.classList.toggle("lost", text !== "" && !this.hasEnded);
  }

  // Rounds may be shorter than a frame of the display, so only the last round of a frame is shown.
  private showSoon(round: RoundEvent): void {
    this.round = round;
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.round) showRound(this.round);
    });
  }

  // Opens the stream of events of the job, if this browser has fewer than kStreams.
  private async openStream(): Promise<void> {
    const job = document.body.dataset.job;
    if (!job || !this.isLive() || !navigator.locks) return;
    for (let i = 0; i < kStreams; ++i) {
      await new Promise<void>((next) => {
        void navigator.locks.request(`paravane-stream-${i}`, { ifAvailable: true }, (lock) => {
          if (!lock || this.source) return next();
          return new Promise<void>((release) => {
            this.listen(job, release);
            next();
          });
        });
      });
      if (this.source) return;
    }
  }

  private listen(job: string, release: () => void): void {
    const after = document.body.dataset.seq ?? "0";
    const source = new EventSource(`/api/v1/jobs/${encodeURIComponent(job)}/events?after=${after}`);
    const close = (): void => {
      source.close();
      this.source = null;
      release();
    };
    this.source = source;
    for (const type of kEventTypes) {
      source.addEventListener(type, (event) => {
        if (type === "round") this.showSoon(JSON.parse((event as MessageEvent<string>).data) as RoundEvent);
        if (type === "rollback") this.round = null;
        this.schedule(0);
        if (type === "result") close();
      });
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) close();  // the server refuses the stream
      this.schedule(0);
    });
  }
}
