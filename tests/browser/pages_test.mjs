// pages_test.mjs BIN [PICTURES]: checks the pages of a real master in Chromium. Exits with 1 if a
// check fails.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { Cluster } from "./cluster.mjs";
import { checkForms } from "./forms.mjs";

const [bin, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let failures = 0;

function check(what, holds, shown = "") {
  if (holds) return;
  ++failures;
  console.log(`FAILED ${what} ${shown}`);
}

const kTimeout = 300_000;  // ms, for a machine that is busy otherwise

async function until(what, condition, seconds = kTimeout / 1000) {
  const end = Date.now() + 1000 * seconds;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  check(what, false, `not within ${seconds} s`);
}

const kTables = 100;  // payloads as names of classes, and as names of columns

function submitPictures(cluster) {
  const train = cluster.pictures();
  return cluster.submit("mlp", "--train", train, "--test", train.replace("train-", "t10k-"), "--epochs", "3", "--name", "pictures");
}

async function makeJobs(cluster) {
  const table = cluster.table("table.csv", { classes: kTables, columns: kTables, rows: 600 });
  const small = ["--train", table, "--test-fraction", "0.3", "--label", "label", "--workers", "2"];
  const jobs = {
    succeeded: await cluster.submit("mlp", ...small, "--epochs", "2", "--name", "succeeded", "--set", "model.layers.0.units=32", "--set", "model.layers.1.units=32"),
    failed: await cluster.submit("mlp", ...small, "--epochs", "2", "--name", "failed", "--set", "model.updater.learning_rate=1e6"),
    waiting: await cluster.submit("mlp", ...small, "--epochs", "2", "--name", "waiting", "--needs", "rack=none"),
    running: await cluster.submit("mlp", ...small, "--epochs", "20000", "--averaging-frequency", "2", "--name", "running"),
    pictures: await submitPictures(cluster),
    bare: await cluster.submit("mlp", "--train", table, "--label", "label", "--epochs", "1", "--name", "bare-with-a-name-that-is-wider-than-the-window-of-a-phone"),
    paused: await cluster.submit("mlp", ...small, "--epochs", "50", "--name", "paused"),
    buttons: await cluster.submit("mlp", ...small, "--epochs", "20000", "--averaging-frequency", "2", "--name", "buttons"),
  };
  await cluster.command("pause", ...cluster.master, jobs.paused);
  await cluster.command("wait", ...cluster.master, jobs.succeeded);
  for (const job of [jobs.failed, jobs.pictures, jobs.bare]) await cluster.command("wait", ...cluster.master, job);
  return jobs;
}

const kJobPages = ["", "/evaluation", "/evaluation/checkpoint", "/model", "/data", "/checkpoints", "/executors", "/timeline", "/settings", "/log"];

class Visit {
  constructor(browser, page) {
    this.browser = browser;
    this.login = page;
    this.base = new URL(page).origin;
  }

  // Opens a page of a browser that is not logged in.
  async openUnknown(options) {
    const context = await this.browser.newContext({ bypassCSP: true, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(kTimeout);
    const page = await context.newPage();
    page.on("dialog", (dialog) => (check("no dialog opens", false, page.url()), dialog.dismiss()));
    page.on("pageerror", (error) => check("scripts run", false, `${page.url()} ${error.message}`));
    return { context, page };
  }

  async open(options) {
    const { context, page } = await this.openUnknown(options);
    if (this.cookies) await context.addCookies(this.cookies);
    if (!this.cookies) {
      await page.goto(this.login);
      this.cookies = await context.cookies();
    }
    return { context, page };
  }
}

async function checkPage(page, base, path, name, theme, width) {
  const answer = await page.goto(base + path);
  check("page exists", answer.ok(), `${path} ${answer.status()}`);
  await page.waitForTimeout(600);
  const found = await page.evaluate(() => ({
    attacked: window.attacked,
    scripts: [...document.scripts].filter((script) => !script.src.startsWith(`${location.origin}/assets/pages.js?v=`)).length,
    handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length,
    wide: document.documentElement.scrollWidth - innerWidth,
    tab: [...document.querySelectorAll(".tabs [aria-current]")].every((tab) => {
      const { left, right } = tab.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    }),
  }));
  check("text stays text", found.attacked === undefined && found.scripts === 0 && found.handlers === 0, `${path} ${JSON.stringify(found)}`);
  check("page fits the window", found.wide <= 0, `${path} at ${width}: ${found.wide} pixels too wide`);
  check("the tab of the page is in the window", found.tab, `${path} at ${width}`);
  check("a user can sign out", path === "/login" || (await page.getByRole("button", { name: "Sign out" }).isVisible()), `${path} at ${width}`);
  if (path === "/") check("jobs can be chosen", await page.locator(".pick input").first().isVisible(), `at ${width}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  for (const violation of violations) check("axe", false, `${path} ${theme} ${width} ${violation.id}: ${violation.nodes[0].html.slice(0, 160)}`);
  if (pictures) await page.screenshot({ path: `${pictures}/${name}-${theme}-${width}.png`, fullPage: width === 390 || name !== "jobs" });
}

async function checkAllPages(visit, jobs) {
  const paths = [["/", "jobs"], ["/cluster", "cluster"], [`/compare?job=${jobs.succeeded}&job=${jobs.running}&job=${jobs.bare}`, "compare"], ["/login", "login"]];
  for (const page of kJobPages) paths.push([`/jobs/${jobs.succeeded}${page}`, page.slice(1).replace("/", "-") || "overview"]);
  for (const page of ["evaluation", "data"]) paths.push([`/jobs/${jobs.pictures}/${page}`, `${page}-pictures`], [`/jobs/${jobs.bare}/${page}`, `${page}-bare`]);
  // Every page of a job in each state; a checkpoint is evaluated only for the job that succeeded.
  const ofStates = [];
  for (const job of ["running", "failed", "paused", "waiting"]) {
    paths.push([`/jobs/${jobs[job]}`, `overview-${job}`]);
    for (const page of kJobPages) {
      if (page !== "/evaluation/checkpoint") ofStates.push([`/jobs/${jobs[job]}${page}`, `${page.slice(1) || "overview"}-${job}`]);
    }
  }
  for (const [theme, width, shown] of [["light", 1280, paths], ["dark", 390, paths], ["dark", 1280, ofStates]]) {
    const { context, page } = await visit.open({ colorScheme: theme, viewport: { width, height: 860 } });
    for (const [path, name] of shown) await checkPage(page, visit.base, path, name, theme, width);
    await context.close();
  }
}

async function checkPayloads(visit, jobs) {
  const { context, page } = await visit.open({});
  let shown = 0;
  for (const path of ["/data", "/evaluation", "/evaluation/checkpoint", "/model"]) {
    await page.goto(`${visit.base}/jobs/${jobs.succeeded}${path}`);
    shown += await page.evaluate(() => document.body.textContent.split("window.attacked=").length - 1);
  }
  check("payloads are shown as text", shown >= kTables, `${shown}`);
  await context.close();
}

async function checkLog(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/jobs/${jobs.succeeded}/log`);
  const log = await page.textContent("#log");
  check("rounds have their total", /Round [\d,]+ of [\d,]+, training loss [\d.]/.test(log), log.slice(0, 300));
  check("epochs have their total", log.includes("Epoch 2 of 2 done"), log.slice(0, 300));
  await page.goto(`${visit.base}/jobs/${jobs.succeeded}/settings`);
  await page.locator("#other").selectOption(jobs.running);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL("**/compare?**");
  check("the settings of both jobs are compared", (await page.textContent("#differences")).includes("training.epochs"));
  await context.close();
}

async function checkWithoutScripts(visit, jobs) {
  const { context, page } = await visit.open({ javaScriptEnabled: false });
  await page.goto(`${visit.base}/`);
  for (const job of Object.values(jobs)) check("jobs without scripts", (await page.textContent("table")).includes(job), job);
  await page.click(`a[href="/jobs/${jobs.failed}"]`);
  check("the error without scripts", (await page.textContent("main")).includes("not finite"));
  await context.close();
}

async function checkKeyboard(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/`);
  await page.keyboard.press("/");
  await page.keyboard.type("failed");
  await until("filter", async () => (await page.locator("tbody tr:visible").count()) === 1);
  await page.keyboard.press("Tab");
  for (let i = 0; i < 30; ++i) {
    if (await page.evaluate((job) => document.activeElement?.textContent === job, jobs.failed)) break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/jobs/${jobs.failed}`);
  await page.keyboard.press("]");
  await page.waitForURL(`**/jobs/${jobs.failed}/evaluation`);
  await context.close();
}

// The curves of a job that has ended are loaded at once, the pictures when they come into view.
async function checkEvaluation(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/jobs/${jobs.pictures}/evaluation`);
  await until("the curves appear", async () => (await page.locator("#examined svg path[data-color]").count()) === 8);
  check("each class has its area", (await page.locator("#examined .areas tbody tr").count()) === 4);
  const area = await page.locator("#examined .areas tbody td").first().textContent();
  const answer = await page.evaluate(async (job) => (await fetch(`/api/v1/jobs/${job}/checkpoints/last/evaluation`)).json(), jobs.pictures);
  const areas = answer.figures.classes.map((one) => one.roc_auc);
  check("the area is that of REST", Math.abs(Math.min(...areas) - Number(area)) < 1e-3, `${area} of ${areas}`);
  const mistakes = page.locator("#examined .pictures img");
  check("each mistake has a picture", (await mistakes.count()) === answer.mistakes.length && answer.mistakes.length > 3, `${answer.mistakes.length}`);
  await mistakes.first().scrollIntoViewIfNeeded();
  await until("the first picture is shown", () => mistakes.first().evaluate((image) => image.naturalWidth === 12));
  await page.locator("#examined th button", { hasText: "Recall" }).click();
  check("the thresholds are sorted", (await page.locator("#examined th[aria-sort]").count()) === 1);

  await page.goto(`${visit.base}/jobs/${jobs.running}/evaluation`);
  check("a running job is not evaluated unasked", (await page.locator("#examined svg").count()) === 0);
  await until("it has a checkpoint", async () => {
    await page.goto(`${visit.base}/jobs/${jobs.running}/evaluation`);
    return (await page.locator("a[data-load]").count()) > 0;
  });
  await page.click("a[data-load]");
  await until("its mistakes appear", async () => (await page.locator("#worst-title").count()) > 0);
  check("the address stays", new URL(page.url()).pathname.endsWith("/evaluation"));

  await page.goto(`${visit.base}/jobs/${jobs.bare}/evaluation`);
  check("a job without a test set says so", (await page.textContent("#evaluation")).includes("has no test set"));
  await context.close();
}

async function checkSamples(visit, jobs) {
  for (const javaScriptEnabled of [true, false]) {
    const { context, page } = await visit.open({ javaScriptEnabled });
    await page.goto(`${visit.base}/jobs/${jobs.succeeded}/data`);
    check("rows of the data", (await page.locator("#train-samples ~ div tbody tr").count()) >= 16);
    await page.locator("a", { hasText: "Next examples" }).first().click();
    check("the next rows", (await page.textContent("main")).includes("Examples 17 to 32 of"));
    await page.goto(`${visit.base}/jobs/${jobs.pictures}/data`);
    const image = page.locator(".pictures img").first();
    await image.scrollIntoViewIfNeeded();
    if (javaScriptEnabled) await until("a picture of the data", () => image.evaluate((one) => one.naturalWidth === 12));
    await page.goto(`${visit.base}/jobs/${jobs.pictures}/evaluation`);
    if (!javaScriptEnabled) {
      await page.click("a[data-load]");
      check("curves without scripts", (await page.locator("#examined svg").count()) === 2);
      check("thresholds without scripts", (await page.locator("#examined .narrow-table tbody tr").count()) === 20);
    }
    await context.close();
  }
}

// Kills an executor while it has a unit of the job, and returns the round whose timeline has the lost lease. An
// executor that dies between two units loses no lease: it is started and killed again.
async function loseExecutor(visit, page, cluster, job, name) {
  const get = async (path) => (await page.request.get(`${visit.base}/api/v1/${path}`)).json();
  let first = 1, round = 0;
  const findLease = async () => {
    for (let next = first; next > 0 && round === 0;) {
      first = next;
      const timeline = await get(`jobs/${job}/timeline?first=${first}`);
      const lost = timeline.rounds.find(({ units }) => units.some(({ executor, end }) => timeline.executors[executor] === name && end === "lost"));
      round = lost?.round ?? 0;
      next = timeline.next_first ?? 0;
    }
  };
  const isThere = async () => (await get("cluster")).executors.some(({ executor }) => executor === name);
  for (let tries = 0; tries < 20 && round === 0; ++tries) {
    if (tries > 0) await cluster.startExecutor(name);
    await until(`${name} has units`, async () => {
      const { last } = await get(`jobs/${job}/timeline?first=${Number.MAX_SAFE_INTEGER}`);
      const newest = await get(`jobs/${job}/timeline?first=${last}`);
      return newest.rounds.some(({ units }) => units.some(({ executor }) => newest.executors[executor] === name));
    });
    await cluster.kill(name);
    await until(`${name} is gone`, async () => !(await isThere()));
    // The round that it was in is recorded when it is committed.
    const { rounds: committed } = await get(`jobs/${job}`);
    await until("the next rounds", async () => (await get(`jobs/${job}`)).rounds > committed + 1);
    await findLease();
  }
  return round;
}

// The timeline has a row for each slot, moves with the mouse and the keyboard, and shows an executor that was lost.
async function checkTimeline(visit, cluster, jobs) {
  const { context, page } = await visit.open({});
  const round = await loseExecutor(visit, page, cluster, jobs.running, "node2");
  await page.goto(`${visit.base}/jobs/${jobs.running}/timeline?last=${round}`);
  check("the lost executor is marked", (await page.locator("[data-slot^=node2][data-lost]").count()) > 0);
  check("the lost slot is named", (await page.textContent(".timeline li.lost")).startsWith("node2"));
  const picture = () => page.evaluate(() => document.querySelector(".timeline canvas").toDataURL());
  const canvas = page.locator(".timeline canvas");
  let before = await picture();
  const changes = async (what, act) => {
    await act();
    await until(`the timeline changes: ${what}`, async () => (await picture()) !== before);
    before = await picture();
  };
  await changes("button", () => page.click("#timeline-tools [name=in]"));
  await canvas.focus();
  await changes("key", () => page.keyboard.press("+"));
  await changes("arrow", () => page.keyboard.press("ArrowLeft"));
  const { x, y, width } = await canvas.boundingBox();
  await page.mouse.move(x + width / 2, y + 50);
  await changes("drag", async () => {
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 80, y + 50);
    await page.mouse.up();
  });
  await page.keyboard.down("Control");
  await changes("wheel", () => page.mouse.wheel(0, 200));
  await page.keyboard.up("Control");
  await cluster.startExecutor("node2");
  await context.close();
}

// The answers of the server are changed, because real executors compute the same result.
async function checkRemovedRounds(visit, jobs) {
  const { context, page } = await visit.open({});
  let asked = 0;
  await page.route("**/metrics?**", async (route) => {
    const url = new URL(route.request().url());
    const isRemoved = url.searchParams.has("rollback");
    url.searchParams.delete("rollback");
    const answer = await route.fetch({ url: url.href });
    const json = await answer.json();
    json.rolled_back = [{ number: 1, first: 2, last: 4 }];
    if (isRemoved) {
      ++asked;
      json.curves = json.curves.map(({ name, mean }) => ({ name, first: 2, step: 1, mean: [0.9, 0.8, 0.7].map((share) => share * (mean.find((value) => value !== null) ?? 0)) }));
    }
    await route.fulfill({ response: answer, json });
  });
  await page.goto(`${visit.base}/jobs/${jobs.succeeded}`);
  await until("curves appear", async () => (await page.locator(".chart canvas").count()) > 0);
  const picture = () => page.evaluate(() => document.querySelector(".chart canvas").toDataURL());
  const before = await picture();
  check("removed rounds are not fetched without a wish", asked === 0);
  await page.getByLabel("Rolled-back rounds").check();
  await until("removed rounds appear", async () => asked === 1 && (await picture()) !== before);
  check("the legend explains them", await page.locator(".m-removed").isVisible());
  await page.getByLabel("Rolled-back rounds").uncheck();
  await until("removed rounds disappear", async () => (await picture()) === before);
  await context.close();
}

async function checkCompare(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/compare?job=${jobs.succeeded}&job=${jobs.running}&job=${jobs.paused}`);
  const lines = page.locator("#parallel-plot polyline");
  await until("each job has a line", async () => (await lines.count()) === 3);
  // Drag along the first axis that all jobs have: the epochs, 2 to 20,000.
  await page.locator("#parallel-plot").scrollIntoViewIfNeeded();
  const axis = await page.locator("#parallel-plot .reach").first().boundingBox();
  const middle = axis.x + axis.width / 2;
  await page.mouse.move(middle, axis.y + 2);
  await page.mouse.down();
  await page.mouse.move(middle, axis.y + axis.height * 0.15);
  await page.mouse.up();
  await until("some jobs are kept", async () => (await page.locator("#parallel-plot polyline:not(.out)").count()) < 3);
  check("the table has the kept jobs", (await page.locator("#results tbody tr:visible").count()) < 3);
  await page.click("#parallel-reset");
  await until("all jobs return", async () => (await page.locator("#results tbody tr:visible").count()) === 3);
  await context.close();
}

async function roundsOf(page) {
  return page.evaluate(() => Number(document.getElementById("facts")?.dataset.rounds ?? 0));
}

// The event of a round is shown at once, also while the page is not fetched.
async function checkEventFigures(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/jobs/${jobs.running}`);
  await page.route(`**/jobs/${jobs.running}`, (route) => route.abort());
  const shown = () => page.evaluate(() => Number(document.querySelector("b[data-event=round]").textContent.replaceAll(",", "")));
  const before = await shown();
  await until("the event of a round changes the page", async () => (await shown()) > before + 1);
  await context.close();
}

async function checkRestart(visit, cluster, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/jobs/${jobs.running}`);
  const first = await roundsOf(page);
  await until("rounds appear", async () => (await roundsOf(page)) > first);
  await until("curves appear", async () => (await page.locator(".chart canvas").count()) > 0);
  await cluster.kill("master");
  await until("the lost connection is reported", async () => (await page.textContent("#connection")) === "Reconnecting…");
  if (pictures) await page.screenshot({ path: `${pictures}/lost-light-1280.png` });
  const before = await roundsOf(page);
  await cluster.startMaster();
  await until("the page continues after the restart, or asks for a login", async () =>
    new URL(page.url()).pathname === "/login" || ((await page.textContent("#connection")) === "" && (await roundsOf(page)) > before));
  await context.close();
}

// Browsers open six connections to a server. Pages with a stream of events must not use them up.
async function checkManyPages(visit, jobs) {
  const kPages = 50;
  const { context, page } = await visit.open({});
  const pages = [page];
  while (pages.length < kPages) pages.push(await context.newPage());
  for (const each of pages) await each.goto(`${visit.base}/jobs/${jobs.running}`, { waitUntil: "domcontentloaded" });
  const first = await roundsOf(page);
  await until("the first of 50 pages stays current", async () => (await roundsOf(page)) > first);
  await until("the last of 50 pages is current", async () => (await roundsOf(pages[kPages - 1])) > first);
  await context.close();
}

// A page without a connection, as on a laptop that sleeps, shows everything afterwards.
async function checkSleep(visit, jobs) {
  const { context, page } = await visit.open({});
  await page.goto(`${visit.base}/jobs/${jobs.running}`);
  await context.setOffline(true);
  await until("the lost connection is reported", async () => (await page.textContent("#connection")) === "Reconnecting…");
  const before = await roundsOf(page);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await context.setOffline(false);
  await until("the page is current again", async () => (await page.textContent("#connection")) === "" && (await roundsOf(page)) > before);
  await context.close();
}

async function checkEmptyCluster(browser) {
  const cluster = new Cluster(bin);
  try {
    await cluster.startMaster();
    const visit = new Visit(browser, cluster.page);
    const { context, page } = await visit.open({});
    for (const [path, text] of [["/", "No jobs yet"], ["/cluster", "No executor is registered"], ["/compare", "no jobs to compare"]]) {
      await page.goto(visit.base + path);
      check("empty page", (await page.textContent("main")).includes(text), path);
    }
    await context.close();
  } finally {
    await cluster.stop();
  }
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const cluster = new Cluster(bin);
try {
  await cluster.startMaster();
  await Promise.all([cluster.startExecutor("node1"), cluster.startExecutor("node2")]);
  const jobs = await makeJobs(cluster);
  const visit = new Visit(browser, cluster.page);
  await checkAllPages(visit, jobs);
  const forms = { open: (options) => visit.openUnknown(options), base: visit.base, check, until, cluster, job: jobs.buttons };
  for (const javaScriptEnabled of [false, true]) await checkForms({ ...forms, javaScriptEnabled });
  delete jobs.buttons;
  await checkPayloads(visit, jobs);
  await checkLog(visit, jobs);
  await checkWithoutScripts(visit, jobs);
  await checkKeyboard(visit, jobs);
  await checkEvaluation(visit, jobs);
  await checkSamples(visit, jobs);
  await checkTimeline(visit, cluster, jobs);
  await checkRemovedRounds(visit, jobs);
  await checkCompare(visit, jobs);
  await checkEventFigures(visit, jobs);
  await checkManyPages(visit, jobs);
  await checkSleep(visit, jobs);
  await checkRestart(visit, cluster, jobs);
  await checkEmptyCluster(browser);
} finally {
  await cluster.stop();
  await browser.close();
}
console.log(failures === 0 ? "all checks passed" : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);
