// Signs in with a token and presses every button of the pages, as a user does.
import { readFileSync } from "node:fs";
import { join } from "node:path";

// Types a token into the form of /login and sends it.
async function signIn(page, base, token) {
  await page.goto(`${base}/login`);
  await page.locator("#token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForLoadState();
}

async function pressIn(page, summary, button) {
  await page.locator("summary", { hasText: summary }).click();
  await page.getByRole("button", { name: button }).click();
}

const stateOf = (page) => page.locator("#job-head .state").textContent();

// The buttons of a job, from its first checkpoint to its deletion.
async function checkJobButtons(page, base, { check, until, cluster, job }) {
  const address = `${base}/jobs/${job}`;
  const shows = (state) => until(`${job} is ${state}`, async () => (await stateOf(page)) === state);
  await page.goto(address);
  await page.getByRole("button", { name: "Write checkpoint" }).click();
  await shows("Running");
  await until("a checkpoint", async () => {
    await page.goto(`${address}/checkpoints`);
    return (await page.getByRole("button", { name: /^Pin / }).count()) > 0;
  });
  await page.goto(address);
  await page.getByRole("button", { name: "Pause" }).click();
  await shows("Paused");
  await page.goto(`${address}/checkpoints`);
  await page.getByRole("button", { name: /^Pin / }).first().click();
  await until("the tag of the pin", async () => (await page.locator("tbody .tag", { hasText: "pinned" }).count()) === 1);
  check("a form returns to its page", new URL(page.url()).pathname === `/jobs/${job}/checkpoints`, page.url());
  await page.goto(address);
  await page.getByRole("button", { name: "Resume" }).click();
  await until("it continues", async () => ["Running", "Starting", "Queued"].includes(await stateOf(page)));
  await pressIn(page, "Cancel", "Cancel the job");
  await shows("Cancelled");
  await pressIn(page, "Delete", "Delete the job");
  await page.waitForLoadState();
  check("a refused form shows a page", (await page.textContent("main")).includes("pinned") && (await page.locator("h1").count()) === 1, await page.content());
  await page.goto(`${address}/checkpoints`);
  await page.getByRole("button", { name: /^Unpin / }).click();
  await until("the pin is removed", async () => (await page.locator("tbody .tag", { hasText: "pinned" }).count()) === 0);
  const other = await page.context().newPage();
  await other.goto(address);
  await pressIn(page, "Delete", "Delete the job");
  await page.waitForURL(`${base}/`);
  check("the job is deleted", !(await page.textContent("main")).includes(job));
  await until("an open page of the job says so", async () => {
    await other.evaluate(() => dispatchEvent(new Event("online")));  // fetch now
    return (await other.textContent("#connection")) === "This job was deleted";
  });
  check("the page has no buttons for the job", (await other.locator("#job-head button").count()) === 0);
  await other.close();
  check("the master knows no such job", (await cluster.command("status", ...cluster.master, job)).code !== 0);
}

// A form of another site, and one whose page has no origin, are refused with a page.
async function checkOtherSites(context, base, token, check) {
  const form = `<form method="post" action="${base}/login"><input name="token" value="${token}"><button>Go</button></form>`;
  const page = await context.newPage();
  await page.route("http://other.example/**", (route) => route.fulfill({ contentType: "text/html", body: form }));
  for (const site of ["http://other.example/", `data:text/html,${encodeURIComponent(form)}`]) {
    await page.goto(site);
    const [answer] = await Promise.all([page.waitForResponse((response) => response.url() === `${base}/login`), page.click("button")]);
    check("a form of another site is refused", answer.status() === 403, `${site} ${answer.status()}`);
    check("the refusal is a page", answer.headers()["content-type"].startsWith("text/html"), answer.headers()["content-type"]);
  }
  await page.close();
}

// `open` opens a page of a browser without a cookie; `job` is a running job that the caller does not use afterwards.
export async function checkForms({ open, base, check, until, cluster, job, javaScriptEnabled }) {
  const { context, page } = await open({ javaScriptEnabled });
  const token = readFileSync(join(cluster.folder, "master", "token"), "utf8").trim();
  await signIn(page, base, "dl1.wrong.token");
  check("a wrong token is refused", (await page.textContent("main")).includes("This token is wrong"), await page.content());
  await signIn(page, base, token);
  check("the token opens the jobs", new URL(page.url()).pathname === "/" && (await page.textContent("main")).includes(job), page.url());
  await checkOtherSites(context, base, token, check);
  if (javaScriptEnabled) await checkJobButtons(page, base, { check, until, cluster, job });
  await page.goto(`${base}/`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${base}/login`);
  await page.goto(`${base}/`);
  check("the browser is signed out", new URL(page.url()).pathname === "/login", page.url());
  await context.close();
}
