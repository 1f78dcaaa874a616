import { createApp } from "../../../src/app.js";
import { readConfig } from "../../../src/config.js";
import type { Provider } from "../../../src/jobs/provider.js";

/** The service without a bot, with a provider whose jobs never end: nothing is rendered. */
const provider: Provider = {
  name: "local",
  kind: "renderer",
  concurrency: 2,
  isPreview: true,
  run: (_task, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    }),
  close: async () => {},
};
const { config, secrets } = readConfig({ MAX_ACTIVE_ORDERS: "0", ORDERS_PER_MINUTE: "0", ...process.env });
const app = createApp(config, secrets, { providers: [provider] });
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
await app.start();
process.send?.("listening");
