// Builds dist/ from src/: one script, one style sheet, the icon, and hashes of all of them.
// ./dev pages runs it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

await build({
  entryPoints: { "pages": "src/main.ts", "style": "src/style.css" },
  outdir: "build", bundle: true, minify: true, charset: "utf8", target: "es2022",
  legalComments: "inline", write: false,
}).then(({ outputFiles }) => {
  mkdirSync("dist", { recursive: true });
  for (const file of outputFiles) {
    writeFileSync(file.path.endsWith(".css") ? "dist/pages.css" : "dist/pages.js", file.contents);
  }
});
writeFileSync("dist/icon.svg", readFileSync("src/icon.svg"));

// The sources are listed too, so that a test sees that dist/ was built from them.
const files = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json"]
  .concat(readdirSync("src").map((name) => `src/${name}`))
  .concat(["dist/icon.svg", "dist/pages.css", "dist/pages.js"]);
const hashes = files.sort().map((file) =>
  `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${file}\n`);
writeFileSync("dist/SHA256SUMS", hashes.join(""));
