import { expect, test } from "vitest";
import { EVERYBODY } from "../../../../src/bot/features/broadcast/broadcast-store.js";
import { managedOf, openBotHarness } from "../../../support/bot-harness.js";

/** More than are read at once. */
const PEOPLE = 450;

test("the one of many whom an audience has is found and counted", async () => {
  const { parts, clock } = openBotHarness();
  const { broadcasts } = managedOf(parts);
  const ids = Array.from({ length: PEOPLE }, (_, index) => index + 1);
  const met = (id: number) => ({ id, is_bot: false, first_name: "Ann" });
  await Promise.all(ids.map((id) => parts.people.meet(met(id), () => (id === PEOPLE ? "ru" : "en"))));
  const audience = { ...EVERYBODY, locale: "ru" };
  const range = { afterId: 0, startedAt: clock.now() };
  expect(await broadcasts.count(EVERYBODY)).toBe(PEOPLE);
  expect(await broadcasts.count(audience)).toBe(1);
  expect(await broadcasts.nextOf(audience, range)).toBe(PEOPLE);
  expect(await broadcasts.nextOf(audience, { ...range, afterId: PEOPLE })).toBeUndefined();
  expect(await broadcasts.nextOf(EVERYBODY, { ...range, afterId: 7 })).toBe(8);
});
