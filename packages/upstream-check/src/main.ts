import { existsSync } from "node:fs";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { readConfig } from "../../../src/config.js";
import { systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import { FileInspector } from "../../../src/providers/file-inspector.js";
import { readDoubts } from "./doubts.js";
import { run, type Setup } from "./run.js";

const DOUBTS_FILE = "data/unchecked.json";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const stopping = new AbortController();
const inspector = new FileInspector(systemClock);
// Timers do not keep a process alive.
const alive = setInterval(() => {}, 60_000);

// A closed pipe (`| head`) must not cut off the request.
process.stdout.on("error", () => {});

// A submit is never cut off: its outcome would be unknown. Afterwards the task's reference has been printed.
process.on("SIGINT", () => {
  if (stopping.signal.aborted) process.exit(130);
  say("Stops as soon as a submit that was sent is answered. Once more ends at once.");
  stopping.abort(new Error("interrupted"));
});

function setUp(provider: string, needsKeys: boolean): Setup {
  const environment = { ...process.env, CORE: "embedded", PROVIDERS: provider };
  const { config, secrets } = readConfig(environment, { needsKeys });
  const { entries, rates } = loadCatalogue(config.catalogueFile);
  const apiRoot = config.upstreams[provider]?.apiRoot;
  return {
    entries,
    rates,
    doubts: existsSync(DOUBTS_FILE) ? readDoubts(DOUBTS_FILE) : [],
    key: secrets.upstreamKeys[provider] ?? "",
    root: apiRoot === undefined ? undefined : new URL(apiRoot),
    agent: { proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy } },
    inspector,
    clock: systemClock,
    ids: systemIds,
  };
}

process.exitCode = await run(process.argv.slice(2), setUp, say, stopping.signal);
await inspector.close();
clearInterval(alive);
