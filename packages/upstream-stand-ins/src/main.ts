import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createUpstreams } from "./index.js";

const PORT = 8790;
const USAGE = "usage: upstreams [--port N] [--keep DIR] [--queue-sec N] [--run-sec N]";

await start(readArguments());

interface Arguments {
  port: number;
  keep: string | undefined;
  queueSec: number;
  runSec: number;
}

/** The stand-ins alone, for a service that runs elsewhere on this machine. */
async function start({ port, keep, queueSec, runSec }: Arguments): Promise<void> {
  const timing = { queueMs: queueSec * 1000, runMs: runSec * 1000 };
  const directory = keep === undefined ? {} : { directory: resolve(keep) };
  const upstreams = await createUpstreams({ port, timing, ...directory });
  const end = () => void upstreams.close().then(() => process.exit(0));
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  const { url } = upstreams;
  const lines = Object.entries(upstreams.environment()).map(([name, value]) => `${name}=${value}`);
  process.stdout.write(`\n  ${lines.join("\n  ")}\n`);
  process.stdout.write(`\n  Accepted tasks: ${url}/control/ledger\n  Ctrl+C ends it.\n\n`);
}

function readArguments(): Arguments {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({ options: { port: text, keep: text, "queue-sec": text, "run-sec": text } });
    return {
      port: numberOf(values.port, PORT),
      keep: values.keep,
      queueSec: numberOf(values["queue-sec"], 5),
      runSec: numberOf(values["run-sec"], 8),
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(1);
  }
}

function numberOf(value: string | undefined, otherwise: number): number {
  const number = value === undefined ? otherwise : Number(value);
  if (!Number.isFinite(number) || number < 0) throw new Error(`not a number: ${value}`);
  return number;
}
