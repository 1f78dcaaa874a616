import { createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { makeResults } from "./results.js";
import { createStubProvider } from "./stub-provider.js";

/*
 * The service as a child process of a test, with a provider that makes its pictures at once.
 * The parent sends `{ arm: n }`: from the next update on, the n-th boundary kills the process on the spot, as
 * a power cut would. `n = 0` only reports boundaries.
 */

interface Order {
  arm: number;
}

let isArmed = false;
let hasBegun = false;
let killAt = 0;
let passed = 0;

const { config, secrets } = readConfig(process.env);
const service = createApp(config, secrets, {
  provider: Object.assign(createStubProvider(), { make: makeResults }),
  httpPort: 0,
  localesDirectory: process.env.TEST_LOCALES ?? "locales",
  boundary: (name) => {
    if (!isArmed) return;
    hasBegun ||= isArrivalOfUpdate(name);
    if (!hasBegun) return;
    passed += 1;
    if (passed === killAt) process.kill(process.pid, "SIGKILL");
    process.send?.({ boundary: name });
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

function isArrivalOfUpdate(boundary: string): boolean {
  const [kind, moment, labels = ""] = boundary.split(":");
  return kind === "commit" && moment === "before" && labels.split("+").includes("inbox");
}

const { httpAddress } = await service.start();
process.send?.({ ready: httpAddress });
