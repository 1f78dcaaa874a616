import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { createGuardedFetch } from "../../src/platform/guarded-fetch.js";
import { integer } from "../../src/platform/integer.js";
import { systemError } from "./fickle-disk.js";
import { LoopWatch } from "./loop-watch.js";
import { LOOPBACK_INTERNET } from "./loopback-internet.js";
import { makeResults } from "./results.js";
import { createStubProvider } from "./stub-provider.js";

/*
 * The service as a child process of a test, with a provider that makes its pictures at once; with the local
 * renderer where TEST_RENDERER is set. Links lead to this machine.
 * The parent sends `{ arm: n }`: from the next update on, or the first commit of `from`, the n-th fail point kills
 * the process on the spot, as a power cut would. `n = 0` only reports fail points. `{ killAt: [a, b] }` kills it at
 * the first fail point from now on whose name contains both. `{ collect: true }` collects garbage, and is answered
 * with the bytes that are in use. `{ watch: true }` is answered with the longest hold of the event loop since the last one.
 * It listens on TEST_HTTP_PORT, or on a free port.
 * TEST_UNKNOWN_COMMIT names a write whose commit succeeds while the service cannot know it, TEST_REFUSED_COMMIT one
 * whose commits fail as on a full disk. TEST_CLOCK_AHEAD_MS sets its clock ahead.
 */

type Order =
  | { arm: number; from?: string }
  | { killAt: readonly string[] }
  | { collect: true }
  | { watch: true };

let isArmed = false;
let hasBegun = false;
let begins = isArrivalOfUpdate;
let killAt = 0;
let passed = 0;

let killAtName: readonly string[] | undefined;

const unknownCommit = process.env.TEST_UNKNOWN_COMMIT;
const refusedCommit = process.env.TEST_REFUSED_COMMIT;
const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const clock: Clock = { ...systemClock, now: () => integer(systemClock.now() + aheadMs) };
const { config, secrets } = readConfig({ MAX_ACTIVE_ORDERS: "0", ORDERS_PER_MINUTE: "0", ...process.env });
const service = createApp(config, secrets, {
  ...(process.env.TEST_RENDERER === undefined && {
    providers: [Object.assign(createStubProvider(), { make: makeResults })],
  }),
  clock,
  guardedFetch: createGuardedFetch({ clock, ...LOOPBACK_INTERNET }),
  httpPort: Number(process.env.TEST_HTTP_PORT ?? 0),
  localesDirectory: process.env.TEST_LOCALES ?? "locales",
  endProcess: () => process.exit(1),
  failPoint: (name) => {
    if (unknownCommit !== undefined && name.startsWith("commit:after:") && name.includes(unknownCommit))
      throw new Error("unknown outcome");
    if (refusedCommit !== undefined && name.startsWith("commit:before:") && name.includes(refusedCommit))
      throw systemError("SQLITE_FULL");
    if (killAtName?.every((part) => name.includes(part))) process.kill(process.pid, "SIGKILL");
    if (!isArmed) return;
    hasBegun ||= begins(name);
    if (!hasBegun) return;
    passed += 1;
    if (passed === killAt) process.kill(process.pid, "SIGKILL");
    process.send?.({ failPoint: name });
  },
});

/** V8 waits until it needs the room. Returns the bytes that are still in use. */
function collectGarbage(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let watch: LoopWatch | undefined;

process.on("message", (order: Order) => {
  if ("watch" in order) {
    process.send?.({ longestHoldMs: watch?.end() ?? 0 });
    watch = new LoopWatch();
    return;
  }
  if ("collect" in order) {
    process.send?.({ usedBytes: collectGarbage() });
    return;
  }
  if ("killAt" in order) killAtName = order.killAt;
  else {
    isArmed = true;
    const { arm, from } = order;
    killAt = arm;
    begins = from === undefined ? isArrivalOfUpdate : (name) => name.includes(from);
    hasBegun = false;
    passed = 0;
  }
  process.send?.({ armed: true });
});
process.on("disconnect", () => process.exit(0));

function isArrivalOfUpdate(failPoint: string): boolean {
  const [kind, moment, labels = ""] = failPoint.split(":");
  return kind === "commit" && moment === "before" && labels.split("+").includes("inbox");
}

const { httpAddress } = await service.start();
// A killed process writes nothing at its end.
flushCompileCache();
process.send?.({ ready: httpAddress });
