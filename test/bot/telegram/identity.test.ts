import type { Api } from "grammy";
import { expect, test } from "vitest";
import { whoAmI } from "../../../src/bot/telegram/identity.js";
import { refusal } from "../../support/bot-world.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

test("the start waits exactly as long as a 429 asks for", async () => {
  const clock = createManualClock();
  let asked = 0;
  const api = {
    getMe: async () => {
      asked += 1;
      if (asked === 1) throw refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 });
      return { id: 1, is_bot: true };
    },
  } as unknown as Api;
  const known = whoAmI(api, clock, recordingLogger().logger, new AbortController().signal);
  await clock.advance(16_999);
  expect(asked).toBe(1);
  await clock.advance(1);
  expect(await known).toMatchObject({ id: 1 });
});
