import { registerHooks } from "node:module";
import { type MessagePort, workerData } from "node:worker_threads";
import { CODE_FAULTS, type Edit } from "./code-faults.js";

/** A world of a seed, in which one of the faults is planted. */
export interface FaultyWorld {
  seed: number;
  fault: string;
  /** How much of it happens, as a share of its acts. */
  share: number;
}

export interface FaultyVerdict {
  wrong: readonly string[];
  /** How often the fault took hold. */
  taken: number;
  /** Texts of the fault that were found in no file. */
  unfound: readonly string[];
}

/** Runs worlds of the built service, in whose files all faults of the code stand, one of them awake. */
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
const { ALL_PLANTED } = await import("./paths/paths.js");

async function run({ seed, fault, share }: FaultyWorld): Promise<FaultyVerdict> {
  const lacks = [...unfound].filter(([, names]) => names.includes(fault)).map(([{ find }]) => find);
  planted = fault;
  taken = 0;
  const beside = ALL_PLANTED[fault];
  const onTaken = () => {
    taken += 1;
  };
  const { wrong } = await simulate(seed, { share, planted: beside && { ...beside, onTaken } });
  return { wrong, taken, unfound: lacks };
}

// A port of its own: parts of the service take the messages of the thread's for theirs.
const port = workerData as MessagePort;
port.on("message", async (world: FaultyWorld) => port.postMessage(await run(world)));
