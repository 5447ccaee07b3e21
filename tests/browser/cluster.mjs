// A master and two executors with jobs in several states, for the test of the pages.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Texts that would become code if a page did not escape them.
const kForms = [
  (n) => `<script>window.attacked=${n}</script>`,
  (n) => `"><img src=x onerror=window.attacked=${n}>`,
  (n) => `' onmouseover='window.attacked=${n}`,
  (n) => `</title><svg onload=window.attacked=${n}>`,
  (n) => `{{#count}}${n}{{/count}}{{{x}}}`,
  (n) => `javascript:window.attacked=${n}`,
  (n) => `&lt;b&gt;${n}&#x3c;script&#x3e;`,
  (n) => `\${window.attacked=${n}}`,
];
export const payload = (n) => kForms[n % kForms.length](n);

export class Cluster {
  constructor(bin) {
    this.program = join(bin, "dl-submit");
    this.folder = mkdtempSync(join(tmpdir(), "paravane-browser-"));
    this.processes = new Map();
    this.port = 0;
    this.httpPort = 0;
  }

  // Starts a process that prints a line of JSON when it is ready, and returns this line.
  daemon(name, ...words) {
    const child = spawn(this.program, words, { stdio: ["ignore", "pipe", "ignore"] });
    this.processes.set(name, child);
    return new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += data;
        const end = text.indexOf("\n");
        if (end >= 0) resolve(JSON.parse(text.slice(0, end)));
      });
      child.on("exit", (code) => reject(new Error(`${name} ended with ${code}: ${text}`)));
    });
  }

  // Runs a command to its end and returns what it printed.
  async command(...words) {
    const child = spawn(this.program, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, DL_DATA_DIR: join(this.folder, "master") } });
    let out = "", err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    const code = await new Promise((resolve) => child.on("close", resolve));
    return { code, out: out.trim(), err };
  }

  async startMaster() {
    const ready = await this.daemon("master", "master", "--port", String(this.port), "--http",
      String(this.httpPort), "--data-dir", join(this.folder, "master"));
    this.port = ready.port;
    this.page = ready.page;
    this.httpPort = Number(new URL(ready.page).port);
    this.master = ["--master", `dl://127.0.0.1:${this.port}`];
  }

  startExecutor(name) {
    return this.daemon(name, "executor", ...this.master, "--slots", "1", "--name", name, "--cache-dir", join(this.folder, name));
  }

  async kill(name) {
    const child = this.processes.get(name);
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    await ended;
  }

  // Writes a table with `classes` classes and `columns` columns, whose names are payloads.
  table(name, { classes, columns, rows }) {
    const quote = (text) => `"${text.replaceAll('"', '""')}"`;
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const lines = [[...Array(columns).keys()].map((n) => quote(payload(1000 + n))).concat("label").join(",")];
    for (let row = 0; row < rows; ++row) {
      const label = row % classes;
      const cells = [...Array(columns).keys()].map((n) => ((label >> n % 7) % 2) + random());
      lines.push([...cells.map((cell) => cell.toFixed(3)), quote(payload(label))].join(","));
    }
    const path = join(this.folder, name);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  }

  // Writes pictures whose class is the place of a bright square, and some that are noise. Returns the
  // path of the training set; that of the test set has "t10k" instead of "train".
  pictures() {
    let seed = 11;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const kSide = 12, kClasses = 4;
    const number = (value) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
    for (const [set, count] of [["train", 600], ["t10k", 200]]) {
      const pixels = [], labels = [];
      for (let i = 0; i < count; ++i) {
        const label = i % kClasses, isNoise = i % 7 === 0;
        labels.push(label);
        for (let y = 0; y < kSide; ++y) {
          for (let x = 0; x < kSide; ++x) {
            const isBright = !isNoise && Math.floor((2 * x) / kSide) + 2 * Math.floor((2 * y) / kSide) === label;
            pixels.push(Math.floor(random() * 90 + (isBright ? 150 : 0)));
          }
        }
      }
      writeFileSync(join(this.folder, `${set}-images-idx3-ubyte`), Buffer.from([0, 0, 8, 3, ...number(count), ...number(kSide), ...number(kSide), ...pixels]));
      writeFileSync(join(this.folder, `${set}-labels-idx1-ubyte`), Buffer.from([0, 0, 8, 1, ...number(count), ...labels]));
    }
    return join(this.folder, "train-images-idx3-ubyte");
  }

  async submit(...words) {
    const { code, out, err } = await this.command("submit", ...this.master, "-d", "-q", ...words);
    if (code !== 0) throw new Error(`submit ${words.join(" ")}: ${err}`);
    return out.split("\n").pop();
  }

  async stop() {
    for (const child of this.processes.values()) {
      child.removeAllListeners("exit");
      child.kill("SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
