// Runs the files of `onnx_cases FOLDER` with ONNX Runtime and compares the results with those of the
// engine. Writes the results to FILE.
//   node run_with_runtime.mjs FOLDER MODULES FILE
// MODULES is a folder node_modules that has onnxruntime-node.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [folder, modules, file] = process.argv.slice(2);
const require = createRequire(path.resolve(modules) + '/');
const ort = require('onnxruntime-node');
const version = require('onnxruntime-node/package.json').version;

const kMostDifference = 1e-5;
const kStoredValues = 8;

const arrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array,
  uint8: Uint8Array,
};

// Decodes base64 into an array of its own, because views need aligned memory.
function decoded(text, Type) {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT);
}

function tensorOf(input) {
  if (input.type === 'string') return new ort.Tensor('string', input.data, input.shape);
  return new ort.Tensor(input.type, decoded(input.data, arrays[input.type]), input.shape);
}

// Returns the largest difference, relative to values above 1.
function differenceOf(want, got, counts) {
  const units = counts ? want.length / counts.length : 1;
  let most = 0;
  for (let i = 0; i < want.length; ++i) {
    if (counts && counts[Math.floor(i / units)] === 0) continue;
    const difference = Math.abs(want[i] - Number(got[i])) / Math.max(1, Math.abs(want[i]));
    if (!(difference <= most)) most = Number.isNaN(difference) ? Infinity : difference;
  }
  return most;
}

// Returns a number with the digits that decide a comparison.
function rounded(value) { return Number(Number(value).toPrecision(8)); }

async function run(name) {
  const one = JSON.parse(fs.readFileSync(`${folder}/${name}.json`));
  const session = await ort.InferenceSession.create(`${folder}/${name}.onnx`, {
    graphOptimizationLevel: 'all', logSeverityLevel: 3,
  });
  const feeds = {};
  for (const input of one.inputs) feeds[input.name] = tensorOf(input);
  const results = await session.run(feeds);
  let difference = 0;
  const values = [];
  for (const output of one.outputs) {
    const got = results[output.name];
    if (JSON.stringify(got.dims) !== JSON.stringify(output.shape))
      throw new Error(`${output.name} has the shape ${got.dims}, not ${output.shape}`);
    difference = Math.max(difference, differenceOf(decoded(output.data, Float64Array), got.data,
                                                   output.counts));
    values.push(Array.from(got.data.slice(0, kStoredValues), rounded));
  }
  return { name: one.name, sha256: one.sha256, difference: Number(difference.toPrecision(2)), values };
}

const recorded = { runtime: `onnxruntime-node ${version}`, cases: {} };
let wrong = 0;
for (const name of JSON.parse(fs.readFileSync(`${folder}/cases.json`))) {
  try {
    const { name: title, ...result } = await run(name);
    if (!(result.difference <= kMostDifference)) {
      console.error(`${title}: differs by ${result.difference}`);
      ++wrong;
    }
    recorded.cases[title] = result;
  } catch (error) {
    console.error(`${name} ${JSON.parse(fs.readFileSync(`${folder}/${name}.json`)).name}: ${error.message}`);
    ++wrong;
  }
}
const largest = Object.entries(recorded.cases).sort((a, b) => b[1].difference - a[1].difference)[0];
console.error(`${Object.keys(recorded.cases).length} models, largest difference ${largest[1].difference} (${largest[0]}), ${wrong} wrong`);
if (wrong > 0) process.exit(1);
const lines = Object.entries(recorded.cases).map(([name, one]) => `  ${JSON.stringify(name)}: ${JSON.stringify(one)}`);
fs.writeFileSync(file, `{"runtime": ${JSON.stringify(recorded.runtime)},\n "cases": {\n${lines.join(',\n')}\n }}\n`);
