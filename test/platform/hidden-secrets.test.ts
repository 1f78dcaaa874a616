import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Remote } from "../../src/client/remote.js";
import { systemClock } from "../../src/platform/clock.js";
import { exchange } from "../../src/platform/http-exchange.js";
import { systemIds } from "../../src/platform/ids.js";
import { type OutgoingAgent, openAgent } from "../../src/platform/outgoing-agent.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { ServiceCalls } from "../../src/providers/service-calls.js";
import { fal } from "../../src/providers/services/fal.js";
import { YookassaApi } from "../../src/tills/yookassa/yookassa-api.js";
import { recordingLogger } from "../support/log.js";

const SECRET = "Sv3rysecret";
const PROXY = `http://user:${SECRET}@proxy.invalid:3128`;
const proxy = { everyCall: [PROXY] };
const clock = systemClock;

test.each<[string, () => object]>([
  ["a proxy", () => openAgent({ proxy })],
  [
    "a service",
    () => new ServiceCalls({ adapter: fal, key: SECRET, agent: { proxy }, clock, ids: systemIds }),
  ],
  [
    "a core elsewhere",
    () =>
      new Remote({
        baseUrl: "https://core.invalid/v1",
        proxy: { httpsProxy: PROXY },
        open: openAgent,
        clock,
        logger: recordingLogger().logger,
        notices: new NoticeQueue(),
      }),
  ],
  [
    "a till",
    () =>
      new YookassaApi({
        root: new URL("https://api.invalid"),
        shopId: "1",
        secretKey: SECRET,
        dispatcher: {} as OutgoingAgent,
        exchange,
        clock,
      }),
  ],
])("%s does not show its secret to whoever prints what calls it", (_name, open) => {
  const shown = inspect(open(), { depth: 10 });
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain(Buffer.from(`user:${SECRET}`).toString("base64"));
});
