import { registerHooks } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Edit } from "./code-faults.js";

export interface FaultyRun {
  edits: readonly Edit[];
  /** In the order in which they are tried. */
  seeds: readonly number[];
}

export interface FaultyVerdict {
  /** The seed of the world that noticed; undefined where none did. */
  seed: number | undefined;
  wrong: readonly string[];
  taken: number;
  /** Texts that were found in no file. */
  unfound: readonly string[];
}

/** Runs the same worlds on a changed service, until one of them notices. A thread loads its files anew. */
const { edits, seeds } = workerData as FaultyRun;
let taken = 0;
Object.assign(globalThis, {
  tookHold: () => {
    taken += 1;
    return true;
  },
});
const found = new Set<Edit>();
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = edits.filter(({ file }) => url.endsWith(`/src/${file}.js`));
    if (own.length === 0) return loaded;
    let source = String(loaded.source);
    for (const edit of own) {
      if (source.includes(edit.find)) found.add(edit);
      source = source.replace(edit.find, () => edit.replace);
    }
    return { ...loaded, source };
  },
});

const { simulate } = await import("./simulate.js");
const unfound = edits.filter((edit) => !found.has(edit)).map(({ find }) => find);
let verdict: FaultyVerdict = { seed: undefined, wrong: [], taken, unfound };
for (const seed of unfound.length > 0 ? [] : seeds) {
  const { wrong } = await simulate(seed);
  verdict = { seed: wrong.length > 0 ? seed : undefined, wrong, taken, unfound };
  if (wrong.length > 0) break;
}
parentPort?.postMessage(verdict);
