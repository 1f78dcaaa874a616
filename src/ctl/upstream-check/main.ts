import { readConfig } from "../../config.js";
import { run } from "./run.js";
import { openSettings } from "./settings.js";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const stopping = new AbortController();
const closers: (() => Promise<void>)[] = [];
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

process.exitCode = await run({
  args: process.argv.slice(2),
  settings: (provider, { needsKeys }) => {
    const environment = { ...process.env, CORE: "embedded", PROVIDERS: provider };
    const { config, secrets } = readConfig(environment, { needsKeys });
    const opened = openSettings({
      catalogueFile: config.catalogueFile,
      key: secrets.upstreamKeys[provider],
      apiRoot: config.upstreams[provider]?.apiRoot,
      proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy },
    });
    closers.push(opened.close);
    return opened.settings;
  },
  say,
  signal: stopping.signal,
});
await Promise.all(closers.map((close) => close()));
clearInterval(alive);
