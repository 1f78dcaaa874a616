import { expect, test } from "vitest";
import { IMAGE, openTestCore, order, type TestCore } from "../support/core.js";

let world: TestCore;

const ACTOR = "telegram:9";
const KEY = IMAGE.model_key;
const change = (what: { isOff?: boolean; note?: Readonly<Record<string, string>> | null }) =>
  world.core.accounts.models.change({ key: String(KEY), actor: ACTOR, ...what });
const offered = async () => {
  const ann = await world.person(7);
  return (await ann.models()).find(({ model_key }) => model_key === KEY);
};

test("a model that an admin switched off is not sold, in the chat and by API, until it is switched on", async () => {
  world = openTestCore();
  const ann = await world.person(7, 100_00);
  await order(ann, "before");
  expect(await change({ isOff: true })).toBe(true);
  expect(await offered()).toBeUndefined();
  expect(world.core.routes.api.models.some(({ model_key }) => model_key === KEY)).toBe(false);
  await expect(order(ann, "one")).rejects.toMatchObject({ code: "model_disabled" });
  await expect(world.core.routes.api.submit(1, IMAGE)).rejects.toMatchObject({ code: "model_disabled" });
  expect(await ann.job(1)).toMatchObject({ status: "queued" });
  await change({ isOff: false });
  await order(ann, "one");
});

test("what was changed outlasts a restart", async () => {
  world = openTestCore();
  await change({ note: { en: "slow today" } });
  await change({ isOff: true });
  await world.close();
  world = openTestCore({ directory: world.directory });
  expect(await offered()).toBeUndefined();
  await change({ isOff: false });
  expect(await offered()).toMatchObject({ note: { en: "slow today" } });
});

test("a note is kept by language and not shown by API; each change is an act, the same one none", async () => {
  world = openTestCore();
  await Promise.all([
    change({ note: { ru: "медленно" } }),
    change({ note: { ru: "медленно" } }),
    change({ note: { en: "slow today" } }),
    change({ isOff: true }),
  ]);
  await change({ isOff: false });
  expect(await offered()).toMatchObject({ note: { en: "slow today", ru: "медленно" } });
  expect(JSON.stringify(world.core.routes.api.models)).not.toContain("slow today");
  const subject = `model:${KEY}`;
  const both = "en: slow today; ru: медленно";
  expect(world.core.accounts.audit.list({ limit: 9 })).toMatchObject([
    { act: "model", actor: ACTOR, subject, after: { off: false, note: both } },
    { act: "model", subject, before: { off: false, note: both }, after: { off: true } },
    { before: { off: false, note: "ru: медленно" }, after: { off: false, note: both } },
    { before: { off: false, note: null }, after: { off: false, note: "ru: медленно" } },
  ]);
});
