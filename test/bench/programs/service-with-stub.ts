import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createApp } from "../../../src/app.js";
import { readConfig } from "../../../src/config.js";
import { markedWebp } from "../../support/picture.js";
import { createStubProvider } from "../../support/stub-provider.js";

/**
 * The service with a provider that makes a picture of random bytes in no time, or with HOLDS none at all. Tells its
 * parent the moments of each job, in ns of the clock that all processes share.
 */
export interface JobMoment {
  /** `made`: the provider has answered; `done`: the commit of the job's end is on the disk. */
  moment: "made" | "done";
  atNs: string;
}

const WORK_MS = 20;
const PICTURE_BYTES = 300_000;

function tell(moment: JobMoment["moment"]): void {
  process.send?.({ moment, atNs: String(process.hrtime.bigint()) } satisfies JobMoment);
}

const provider = createStubProvider();
provider.holds = process.env.HOLDS !== undefined;
provider.make = async ({ directory }) => {
  const path = join(directory, "picture.webp");
  await writeFile(path, markedWebp(randomBytes(PICTURE_BYTES)));
  await new Promise((resolve) => setTimeout(resolve, WORK_MS));
  tell("made");
  return [{ path, mime: "image/webp", width: 1024, height: 1024 }];
};

const { config, secrets } = readConfig({ MAX_ACTIVE_ORDERS: "0", ORDERS_PER_MINUTE: "0", ...process.env });
const app = createApp(config, secrets, {
  providers: [provider],
  failPoint: (name) => {
    if (name.startsWith("commit:after:") && name.includes("job:done")) tell("done");
  },
});
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
await app.start();
