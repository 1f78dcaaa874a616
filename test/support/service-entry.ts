import { createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { makePicture } from "./picture.js";
import { createStubProvider } from "./stub-provider.js";

/*
 * The service as a child process of a test, with a provider that makes its pictures at once.
 * The parent sends `{ arm: n }`: the n-th boundary after that kills the process on the spot, as a power cut
 * would. `n = 0` only reports boundaries.
 */

interface Order {
  arm: number;
}

let isArmed = false;
let killAt = 0;
let passed = 0;

const { config, secrets } = readConfig(process.env);
const service = createApp(config, secrets, {
  provider: Object.assign(createStubProvider(), { make: makePicture }),
  httpPort: 0,
  localesDirectory: process.env.TEST_LOCALES ?? "locales",
  boundary: (name) => {
    if (!isArmed) return;
    passed += 1;
    if (passed === killAt) process.kill(process.pid, "SIGKILL");
    process.send?.({ boundary: name });
  },
});

process.on("message", (order: Order) => {
  isArmed = true;
  killAt = order.arm;
  passed = 0;
  process.send?.({ armed: true });
});
process.on("disconnect", () => process.exit(0));

await service.start();
process.send?.({ ready: true });
