import { createApp } from "../../../src/app.js";
import { readConfig } from "../../../src/config.js";
import { createStubProvider } from "../../support/stub-provider.js";

/** The service with a provider that begins jobs and ends none. */
const provider = createStubProvider();
provider.holds = true;

const { config, secrets } = readConfig({ MAX_ACTIVE_ORDERS: "0", ORDERS_PER_MINUTE: "0", ...process.env });
const app = createApp(config, secrets, { providers: [provider] });
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
await app.start();
