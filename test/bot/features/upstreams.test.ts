import { expect, test } from "vitest";
import { resumeData } from "../../../src/bot/features/upstreams.js";
import type { ProviderState } from "../../../src/catalogue/choose-provider.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { paused, UP } from "../../support/provider-states.js";

const { t } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID };
const RESUME = resumeData.encode({ provider: "fal" });

/** A bot with one service. */
function openBot(state: ProviderState) {
  const service = { state, resumed: 0 };
  const harness = openBotHarness({
    upstreams: () => [
      {
        name: "fal",
        state: service.state,
        models: { count: 1, off: 1 },
        resume() {
          service.resumed += 1;
          service.state = UP;
        },
      },
    ],
  });
  const answers = () =>
    harness.calls
      .filter(({ method }) => method === "answerCallbackQuery")
      .map(({ payload }) => payload.text as string | undefined);
  return { ...harness, service, answers };
}

test("an admin's ▶️ resumes the service once, and a second tap says that it is up", async () => {
  const { tap, service, answers } = openBot(paused("no_credit"));
  await tap(RESUME, 50, ADMIN);
  await tap(RESUME, 50, ADMIN);
  expect(service.resumed).toBe(1);
  expect(answers()).toEqual([t("provider-resuming"), t("provider-is-up")]);
});

test("nobody else resumes a service, and an unknown name does nothing", async () => {
  const { tap, service } = openBot(paused("no_credit"));
  await tap(RESUME, 50, ANN);
  await tap(resumeData.encode({ provider: "kie" }), 50, ADMIN);
  expect(service.resumed).toBe(0);
});
