import { expect, test } from "vitest";
import { AdminStore } from "../../../src/accounts/admin-store.js";
import { AdminCode } from "../../../src/bot/features/become-admin.js";
import { HOUR_MS } from "../../../src/platform/units.js";
import { ANN, BORIS, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { openBotWorld } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { createManualClock } from "../../support/manual-clock.js";

const CODE = "0123456789abcdef";
const WRONG = "fedcba9876543210";
const WELCOME = t("admin-welcome");
const REFUSED = t("admin-code-wrong");

function open(options: Parameters<typeof openBotHarness>[0] = {}) {
  const bot = openBotHarness({ adminIds: [], ...options });
  bot.parts.adminCode.open(CODE);
  const menus = () => bot.telegram.payloadsOf("setMyCommands").map(({ scope }) => scope);
  return { ...bot, menus, admins: () => [...bot.parts.adminIds] };
}

test("the first who sends the code becomes an admin with an admin's menu and commands, without an account", async () => {
  const { say, said, admins, menus, lookUps } = open();
  await say(`/start ${CODE}`);
  expect(said()).toEqual([WELCOME]);
  expect(admins()).toEqual([ANN.id]);
  await eventually("the menu", () => menus().length > 0);
  expect(menus()).toEqual([{ type: "chat", chat_id: ANN.id }]);
  expect(lookUps.of).toBe(0);
  await say("/balance 12345");
  expect(said()[1]).not.toBe(t("balance-own-only"));
  // The update is handled again, and another person sends the code.
  await say(`/start ${CODE}`);
  await say(`/start ${CODE}`, BORIS);
  expect(said().slice(-2)).toEqual([WELCOME, REFUSED]);
  expect(admins()).toEqual([ANN.id]);
});

test("of two who send it at once one becomes an admin", async () => {
  const { say, admins } = open();
  await Promise.all([say(`/start ${CODE}`), say(`/start ${CODE}`, BORIS)]);
  expect(admins()).toHaveLength(1);
});

test("a code that could not be kept may be sent again", async () => {
  const failing = failOnce("commit:before:admin-add");
  const { say, said, admins } = open({ world: openBotWorld(failing) });
  await say(`/start ${CODE}`);
  expect(admins()).toEqual([]);
  await say(`/start ${CODE}`);
  expect(said().at(-1)).toBe(WELCOME);
  expect(admins()).toEqual([ANN.id]);
});

test("after an hour, and without an open code, each is wrong", async () => {
  const { say, said, admins, clock } = open();
  await clock.advance(HOUR_MS);
  await say(`/start ${CODE}`);
  expect([said(), admins()]).toEqual([[REFUSED], []]);
  const closed = openBotHarness({ adminIds: [] });
  await closed.say(`/start ${CODE}`);
  expect([closed.said(), [...closed.parts.adminIds]]).toEqual([[REFUSED], []]);
});

test("in a group the right code is void, and nothing is said", async () => {
  const { say, said, admins } = open();
  await say(`/start@atelier_bot ${CODE}`, ANN, IN_GROUP);
  await say(`/start@atelier_bot ${WRONG}`, ANN, IN_GROUP);
  expect([said(), admins()]).toEqual([[], []]);
  await say(`/start ${CODE}`);
  expect([said(), admins()]).toEqual([[REFUSED], []]);
});

test("a forwarded code, other words and no code are a greeting", async () => {
  const { say, said, admins } = open();
  const forward_origin = { type: "hidden_user", sender_user_name: "Eve", date: 1 } as const;
  await say(`/start ${CODE}`, ANN, { forward_origin });
  await say("/start summer");
  await say("/start");
  expect(said().every((text) => String(text).includes("Ann"))).toBe(true);
  expect([said().length, admins()]).toEqual([3, []]);
});

test("people who are not let in may send the code, and get in by it", async () => {
  const { say, said } = open({ allowedUsers: [MAX.id] });
  await say("/help");
  await say(`/start ${CODE}`);
  await say("/help");
  expect(said().slice(0, 2)).toEqual([t("not-allowed"), WELCOME]);
  expect(said()[2]).toContain(t("help-admins"));
});

test("who tried five times may not try again, while others may; after a thousand wrong ones nobody may", () => {
  const code = new AdminCode(createManualClock());
  code.open(CODE);
  for (let tries = 0; tries < 5; tries += 1) expect(code.take(1, WRONG)).toBeUndefined();
  expect(code.take(1, CODE)).toBeUndefined();
  expect(code.take(2, CODE)).toBeDefined();
  const tried = new AdminCode(createManualClock());
  tried.open(CODE);
  for (let person = 1; person <= 1000; person += 1) tried.take(person, WRONG);
  expect(tried.take(2000, CODE)).toBeUndefined();
});

test("an admin who was removed has the menu of everybody from the next message on", async () => {
  const { say, database, clock, menus, telegram } = open();
  await say(`/start ${CODE}`);
  await new AdminStore(database, clock, []).remove(ANN.id, "ctl");
  await say("/help");
  await say("/help");
  expect(menus()).toHaveLength(2);
  const [first, last] = telegram.payloadsOf("setMyCommands").map(({ commands }) => commands as object[]);
  expect(last?.length).toBeLessThan(first?.length ?? 0);
});
