// pages_bench.mjs BIN [FOLDER]: measures how fast pages with much data open in Chromium, from the
// request until the content is drawn. Prints a JSON line for each figure, with the median and the
// 95th percentile in ms. Makes 10,000 jobs in FOLDER, and uses them again in a later run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Cluster } from "./cluster.mjs";

const [bin, given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), "paravane-pages-"));
const kSamples = 40;
const kTrained = 60;  // of each thousand or ten thousand jobs; the others are cancelled
const kRounds = 1_000_000;

class Master extends Cluster {
  constructor() {
    super(bin);
    rmSync(this.folder, { recursive: true });
    this.folder = folder;
  }

  async call(method, path, body) {
    const token = readFileSync(join(folder, "master", "token"), "utf8").trim();
    const answer = await fetch(`http://127.0.0.1:${this.httpPort}${path}`, {
      method, headers: { Authorization: `Bearer ${token}` }, body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  // Submits jobs that are cancelled before they start, then jobs that train. No executor may be registered.
  async addJobs(first, cancelled) {
    for (let i = 0; i < cancelled; ++i) {
      const { job } = await this.call("POST", "/api/v1/jobs", { copy_of: first });
      await this.call("POST", `/api/v1/jobs/${job}/cancel`);
    }
    const jobs = [];
    for (let i = 0; i < kTrained; ++i) {
      const { job } = await this.call("POST", "/api/v1/jobs", {
        copy_of: first, set: { "training.batch_size": 8 + i, "training.epochs": 40, "model.updater.learning_rate": 0.001 * (i + 1), seed: i },
      });
      jobs.push(job);
    }
    await this.startExecutor("trainer");
    for (const job of jobs) {
      while ((await this.call("GET", `/api/v1/jobs/${job}`)).state !== "SUCCEEDED") await new Promise((next) => setTimeout(next, 200));
    }
    await this.kill("trainer");
    return jobs;
  }

  // Ends the processes, but keeps the folder.
  async end() {
    for (const [name, child] of this.processes) if (child.exitCode === null && !child.killed) await this.kill(name);
  }

  async startPages() {
    const ready = await this.daemon("ui", "ui", join(folder, "master"), "--json");
    this.page = ready.page;
  }
}

function print(figure, times, more = {}) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  console.log(JSON.stringify({ figure, median_ms: at(0.5), p95_ms: at(0.95), ...more }));
}

class Visit {
  static async start(browser, login) {
    const visit = new Visit();
    visit.context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    visit.page = await visit.context.newPage();
    visit.base = new URL(login).origin;
    await visit.page.goto(login);
    // Resolves after the frame in which the page is complete.
    await visit.page.addInitScript(() => {
      window.shown = new Promise((resolve) => {
        const selector = new URLSearchParams(location.hash.slice(1)).get("shown");
        const isComplete = () => document.readyState === "complete" && document.querySelector(selector);
        const look = () => isComplete() ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))) : requestAnimationFrame(look);
        look();
      });
    });
    return visit;
  }

  // Opens the page several times. The first time does not count.
  async measure(figure, path, selector) {
    const times = [];
    let points = 0, bytes = 0;
    this.page.on("response", async (answer) => {
      if (!answer.url().includes("/metrics?")) return;
      const document = await answer.json().catch(() => ({ curves: [] }));
      const curves = (document.jobs ?? [document]).flatMap((job) => job.curves);
      points = Math.max(points, ...curves.map((curve) => curve.mean.length));
    });
    for (let i = 0; i <= kSamples; ++i) {
      await this.page.goto("about:blank");
      await this.page.goto(`${this.base}${path}#shown=${encodeURIComponent(selector)}`);
      const time = await this.page.evaluate(() => window.shown);
      if (i > 0) times.push(time);
      bytes = await this.page.evaluate(() => performance.getEntriesByType("navigation")[0].transferSize);
    }
    this.page.removeAllListeners("response");
    print(figure, times, { answer_kib: Math.round(bytes / 102.4) / 10, ...(points > 0 ? { points } : {}) });
  }

  // From the commit of a round until an open page shows it.
  async measureCommits(job) {
    await this.page.goto(`${this.base}/jobs/${job}#shown=body`);
    return this.page.evaluate((samples) => new Promise((resolve) => {
      const place = document.querySelector("b[data-event=round]");
      const seen = [];
      new MutationObserver(() => {
        seen.push([Number(place.textContent.replaceAll(",", "")), Date.now()]);
        if (seen.length === samples) resolve(seen);
      }).observe(place, { characterData: true, childList: true, subtree: true });
    }), kSamples);
  }
}

const master = new Master();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const notes = join(folder, "jobs.json");
  let made = existsSync(notes) ? JSON.parse(readFileSync(notes, "utf8")) : null;
  await master.startMaster();
  let visit = await Visit.start(browser, master.page);
  if (!made) {
    const table = master.table("table.csv", { classes: 3, columns: 6, rows: 120 });
    const first = await master.submit("mlp", "--train", table, "--test-fraction", "0.3", "--label", "label", "--workers", "1",
      "--name", "trial", "--set", "model.layers.0.units=8", "--set", "model.layers.1.units=8");
    const jobs = await master.addJobs(first, 1000 - kTrained - 1);
    await visit.measure("jobs page, 1,000 jobs", "/", "#jobs tbody tr");
    jobs.push(...await master.addJobs(first, 9000 - kTrained));
    made = { first, jobs };
    writeFileSync(notes, JSON.stringify(made));
  }
  await visit.measure("jobs page, 10,000 jobs", "/", "#jobs tbody tr");
  const compared = made.jobs.slice(0, 100).map((job) => `job=${job}`).join("&");
  await visit.measure("compare, 100 jobs", `/compare?${compared}`, ".chart canvas");
  await master.startExecutor("trainer");
  const { job } = await master.call("POST", "/api/v1/jobs", { copy_of: made.first, set: { "training.epochs": 100_000, "training.batch_size": 4 } });
  while ((await master.call("GET", `/api/v1/jobs/${job}`)).rounds < 2) await new Promise((next) => setTimeout(next, 100));
  const seen = await visit.measureCommits(job);
  const { out } = await master.command("logs", ...master.master, job, "--json");
  const commits = new Map(out.split("\n").filter((line) => line.includes('"type":"round"')).map((line) => JSON.parse(line)).map((event) => [event.round, event.unix_ms]));
  print("from commit to the open page", seen.filter(([round]) => commits.has(round)).map(([round, at]) => at - commits.get(round)));
  await master.call("POST", `/api/v1/jobs/${job}/cancel`);
  await master.end();

  if (!made.long) {
    made.long = made.jobs[made.jobs.length - 1];  // it is not compared
    spawnSync(join(bin, "bench"), ["series", "--data-dir", join(folder, "master"), "--job", made.long, "--rounds", String(kRounds)], { stdio: "inherit" });
    writeFileSync(notes, JSON.stringify(made));
  }
  await master.startPages();
  visit = await Visit.start(browser, master.page);
  await visit.measure("job of 1,000,000 rounds and 40 series", `/jobs/${made.long}`, ".chart canvas");
} finally {
  await master.end();
  await browser.close();
  if (!given) rmSync(folder, { recursive: true, force: true });
}
