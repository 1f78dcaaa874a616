import { expect, test } from "vitest";
import { EVERYBODY, Recipients } from "../../../../src/bot/features/broadcast/broadcast-store.js";
import { openBotHarness } from "../../../support/bot-harness.js";

/** More than are read at once. */
const PEOPLE = 450;

test("the one of many whom an audience has is found and counted", async () => {
  const { parts, database, clock, managed } = openBotHarness();
  const ids = Array.from({ length: PEOPLE }, (_, index) => index + 1);
  const met = (id: number) => ({ id, is_bot: false, first_name: "Ann" });
  await Promise.all(ids.map((id) => parts.people.meet(met(id), () => (id === PEOPLE ? "ru" : "en"))));
  const recipients = new Recipients({ database, clock, admin: managed.admin });
  const audience = { ...EVERYBODY, locale: "ru" };
  const range = { afterId: 0, startedAt: clock.now() };
  expect(await recipients.count(EVERYBODY)).toBe(PEOPLE);
  expect(await recipients.count(audience)).toBe(1);
  expect(await recipients.next(audience, range)).toBe(PEOPLE);
  expect(await recipients.next(audience, { ...range, afterId: PEOPLE })).toBeUndefined();
  expect(await recipients.next(EVERYBODY, { ...range, afterId: 7 })).toBe(8);
});
