import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness, recordingAdmin } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Max" };

test.each(["credit", "debit"])("/%s changes a balance and tells the person and the admin", async (kind) => {
  const admin = recordingAdmin();
  const { say, calls } = openBotHarness({ admin });
  await say("/start");
  calls.length = 0;
  await say(`/${kind} ${ANN.id} 100 thanks`, ADMIN);
  const actor = `telegram:${ADMIN_ID}`;
  expect(admin.corrections).toMatchObject([{ userId: ANN.id, kopecks: 100_00, reason: "thanks", actor }]);
  const told = calls.filter(({ method }) => method === "sendMessage").map(({ payload }) => payload.chat_id);
  expect(told).toEqual([ANN.id, ADMIN_ID]);
});

test("the command does not exist for anyone but an admin", async () => {
  const admin = recordingAdmin();
  const { say, said } = openBotHarness({ admin });
  await say(`/credit ${ANN.id} 100`);
  expect(admin.corrections).toEqual([]);
  expect(said()).toEqual([t("unknown-command", { atBot: "" })]);
});

test("an admin whose correction may have been applied is told to check before repeating it", async () => {
  const admin = { ...recordingAdmin(), credit: () => Promise.reject(new Error("broken")) };
  const { say, said } = openBotHarness({ admin });
  await say("/start");
  await say(`/credit ${ANN.id} 100`, ADMIN);
  expect(said().at(-1)).toBe(t("correction-given-up", { commands: `/credit ${ANN.id} 100` }));
});
