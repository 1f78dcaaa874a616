import { registerHooks } from "node:module";
import { type MessagePort, workerData } from "node:worker_threads";
import { CODE_FAULTS, type Edit } from "./code-faults.js";

export interface FaultyRun {
  name: string;
  /** In the order in which they are tried. */
  seeds: readonly number[];
}

export interface FaultyVerdict {
  /** The seed of the world that noticed; undefined where none did. */
  seed: number | undefined;
  wrong: readonly string[];
  /** How often the fault took hold in the world that noticed. */
  taken: number;
  /** Texts that were found in no file. */
  unfound: readonly string[];
}

/** Runs the same worlds on a service with a fault, until one of them notices. */
let planted = "";
let taken = 0;
Object.assign(globalThis, {
  tookHold: (name: string) => {
    if (name === planted) taken += 1;
    return name === planted;
  },
});
/** Each edit with the faults that need it. */
const edits = new Map<Edit, string[]>();
for (const [name, fault] of Object.entries(CODE_FAULTS))
  for (const edit of fault.edits) edits.set(edit, [...(edits.get(edit) ?? []), name]);
const unfound = new Map(edits);
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = [...edits].filter(([{ file }]) => url.endsWith(`/src/${file}.js`));
    if (own.length === 0) return loaded;
    let source = String(loaded.source);
    for (const [edit, [name]] of own) {
      if (source.includes(edit.find)) unfound.delete(edit);
      const text = edit.replace.replaceAll("tookHold()", () => `tookHold(${JSON.stringify(name)})`);
      source = source.replace(edit.find, () => text);
    }
    return { ...loaded, source };
  },
});

const { simulate } = await import("./simulate.js");

async function run({ name, seeds }: FaultyRun): Promise<FaultyVerdict> {
  const lacks = [...unfound].filter(([, names]) => names.includes(name)).map(([{ find }]) => find);
  planted = name;
  for (const seed of lacks.length > 0 ? [] : seeds) {
    taken = 0;
    const { wrong } = await simulate(seed);
    if (wrong.length > 0) return { seed, wrong, taken, unfound: lacks };
  }
  return { seed: undefined, wrong: [], taken: 0, unfound: lacks };
}

// A port of its own: parts of the service take the messages of the thread's for theirs.
const port = workerData as MessagePort;
port.on("message", async (faulty: FaultyRun) => port.postMessage(await run(faulty)));
