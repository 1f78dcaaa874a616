import { createHook } from "node:async_hooks";
import { registerHooks } from "node:module";
import { type MessagePort, workerData } from "node:worker_threads";
import { CODE_FAULTS, type Edit } from "./code-faults.js";
import type { Verdict } from "./simulate.js";

/** A world of a seed, in which one of the faults may be planted. */
export interface WorldOrder {
  seed: number;
  fault?: string;
  /** How much of it happens, as a share of its acts. */
  share?: number;
  /** Calls of the real disk and network are told. */
  isWatched?: boolean;
}

export interface WorldReport {
  verdict: Verdict;
  /** How often the fault took hold. */
  taken: number;
  /** Texts of the fault that were found in no file. */
  unfound: readonly string[];
  /** Calls of the real disk and network, as node names them. */
  real: readonly string[];
}

export interface WorldThreadData {
  port: MessagePort;
  /** All faults of the code stand in the files of the service, at most one of them awake. */
  hasFaults: boolean;
}

/** They end in no order. */
const REAL = /^(FSREQ|FILEHANDLE|GETADDRINFO|TCP|PIPE|TLS|ZLIB)/;

/** Runs worlds of the built service. */
const { port, hasFaults } = workerData as WorldThreadData;
let planted: string | undefined;
let taken = 0;
Object.assign(globalThis, {
  tookHold: (name: string) => {
    if (name === planted) taken += 1;
    return name === planted;
  },
});
/** Each edit with the faults that need it. */
const edits = new Map<Edit, string[]>();
for (const [name, fault] of Object.entries(hasFaults ? CODE_FAULTS : {}))
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

async function run({ seed, fault, share, isWatched }: WorldOrder): Promise<WorldReport> {
  const lacks = [...unfound].filter(([, names]) => names.includes(fault ?? "")).map(([{ find }]) => find);
  planted = fault;
  taken = 0;
  const beside = fault === undefined ? undefined : ALL_PLANTED[fault];
  const onTaken = () => {
    taken += 1;
  };
  const real: string[] = [];
  const hook = createHook({ init: (_id, type) => void (REAL.test(type) && real.push(type)) });
  if (isWatched) hook.enable();
  const verdict = await simulate(seed, { share, planted: beside && { ...beside, onTaken } });
  hook.disable();
  return { verdict, taken, unfound: lacks, real };
}

// A port of its own: parts of the service take the messages of the thread's for theirs.
port.on("message", async (order: WorldOrder) => port.postMessage(await run(order)));
