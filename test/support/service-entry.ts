import { createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { systemClock } from "../../src/platform/clock.js";
import { createGuardedFetch } from "../../src/platform/guarded-fetch.js";
import { LOOPBACK_INTERNET } from "./loopback-internet.js";
import { makeResults } from "./results.js";
import { createStubProvider } from "./stub-provider.js";

/*
 * The service as a child process of a test, with a provider that makes its pictures at once; with the local
 * renderer where TEST_RENDERER is set. Links lead to this machine.
 * The parent sends `{ arm: n }`: from the next update on, the n-th fail point kills the process on the spot, as
 * a power cut would. `n = 0` only reports fail points.
 * With TEST_HOLDS that provider never ends. It listens on TEST_HTTP_PORT, or on a free port.
 * TEST_UNKNOWN_COMMIT names a write whose commit succeeds while the service cannot know it.
 */

interface Order {
  arm: number;
}

let isArmed = false;
let hasBegun = false;
let killAt = 0;
let passed = 0;

const unknownCommit = process.env.TEST_UNKNOWN_COMMIT;
const { config, secrets } = readConfig(process.env);
const service = createApp(config, secrets, {
  ...(process.env.TEST_RENDERER === undefined && {
    providers: [
      Object.assign(createStubProvider(), { make: makeResults, holds: process.env.TEST_HOLDS !== undefined }),
    ],
  }),
  guardedFetch: createGuardedFetch({ clock: systemClock, ...LOOPBACK_INTERNET }),
  httpPort: Number(process.env.TEST_HTTP_PORT ?? 0),
  localesDirectory: process.env.TEST_LOCALES ?? "locales",
  endProcess: () => process.exit(1),
  failPoint: (name) => {
    if (unknownCommit !== undefined && name.startsWith("commit:after:") && name.includes(unknownCommit))
      throw new Error("unknown outcome");
    if (!isArmed) return;
    hasBegun ||= isArrivalOfUpdate(name);
    if (!hasBegun) return;
    passed += 1;
    if (passed === killAt) process.kill(process.pid, "SIGKILL");
    process.send?.({ failPoint: name });
  },
});

process.on("message", (order: Order) => {
  isArmed = true;
  killAt = order.arm;
  hasBegun = false;
  passed = 0;
  process.send?.({ armed: true });
});
process.on("disconnect", () => process.exit(0));

function isArrivalOfUpdate(failPoint: string): boolean {
  const [kind, moment, labels = ""] = failPoint.split(":");
  return kind === "commit" && moment === "before" && labels.split("+").includes("inbox");
}

const { httpAddress } = await service.start();
process.send?.({ ready: httpAddress });
