import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { AUDIENCE_FIELDS, EVERYBODY, withNext } from "../../../src/bot/features/broadcast/broadcast-store.js";
import { wantsNoNews } from "../../../src/bot/people/people.js";
import { HOUR_MS } from "../../../src/platform/units.js";
import { ANN, BORIS, MAX, managedOf, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { openBotWorld } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";

function openNews(options: Parameters<typeof openBotHarness>[0] = {}) {
  const bot = openBotHarness(options);
  const { broadcasts } = managedOf(bot.parts);
  return {
    ...bot,
    broadcasts,
    press: (label: string) => bot.tap(bot.buttons().get(label) ?? "none", undefined, MAX),
  };
}

test("an admin sees the message as people will, then sends it to those who are meant, once for two taps", async () => {
  const { say, press, buttons, telegram, broadcasts, managed, tap } = openNews();
  await say("/help");
  await say("/broadcast", MAX);
  await say("Suno V6 is here", MAX);
  expect(telegram.payloadsOf("copyMessage")).toHaveLength(1);
  expect([...buttons().keys()]).toContain(t("button-broadcast-send", { count: 2 }));
  const stale = buttons().get(t("button-broadcast-send", { count: 2 })) ?? "";
  await press(t("broadcast-locale-all"));
  await tap(stale, undefined, MAX);
  expect(broadcasts.running(), "an old button sends nothing").toBeUndefined();
  const send = buttons().get(t("button-broadcast-send", { count: 2 })) ?? "";
  await tap(send, undefined, MAX);
  await tap(send, undefined, MAX);
  expect(broadcasts.running()).toMatchObject({ total: 2, audience: { locale: "en" } });
  expect(managed.audit.list({ limit: 9 })).toMatchObject([
    { act: "broadcast", subject: "broadcast:1", after: { total: 2 } },
  ]);
});

test("a broadcast whose act cannot be recorded does not begin, nor stop", async () => {
  const world = openBotWorld();
  const { say, tap, buttons, broadcasts } = openNews({ world });
  const beside = new Sqlite(join(world.directory, "a.db"));
  const fill = () =>
    beside.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'no room'); END");
  fill();
  await say("/broadcast", MAX);
  await say("news", MAX);
  const send = buttons().get(t("button-broadcast-send", { count: 1 })) ?? "none";
  await tap(send, undefined, MAX);
  expect(broadcasts.running()).toBeUndefined();
  beside.exec("DROP TRIGGER full");
  await tap(send, undefined, MAX);
  expect(broadcasts.running()?.id).toBe(1);
  fill();
  beside.close();
  await tap("bc:p:1", undefined, MAX);
  expect(broadcasts.find(1)?.state).toBe("running");
});

test("a broadcast is no album, is cancelled before it begins, and stopped and gone on with after", async () => {
  const { say, send, said, press, broadcasts } = openNews();
  await say("/broadcast", MAX);
  for (let piece = 0; piece < 10; piece += 1)
    await send({ media_group_id: "1", photo: PHOTO, caption: "x" }, MAX);
  expect(said()).toEqual([t("broadcast-ask"), t("broadcast-no-album")]);
  await say("one", MAX);
  await press(t("button-cancel"));
  expect(broadcasts.find(1)?.state).toBe("cancelled");
  await say("/broadcast", MAX);
  await say("two", MAX);
  await press(t("button-broadcast-send", { count: 1 }));
  await press(t("button-broadcast-stop"));
  expect(broadcasts.find(2)?.state).toBe("stopped");
  await press(t("button-broadcast-resume"));
  expect(broadcasts.find(2)?.state).toBe("running");
});

test("/cancel ends what was composed last: a card, or a message that is not sent yet", async () => {
  const { say, said, card, broadcasts, telegram, clock } = openNews();
  await say("/image a fox", MAX);
  await say("/broadcast", MAX);
  await say("news", MAX);
  await say("/image a hen", MAX);
  for (const text of ["a hen", undefined]) {
    expect(card(MAX.id, MAX.id)?.text).toBe(text);
    expect(broadcasts.find(1)?.state).toBe("composing");
    await say("/cancel", MAX);
  }
  expect(said().at(-1)).toBe(t("broadcast-cancelled"));
  expect(broadcasts.find(1)?.state).toBe("cancelled");
  expect(telegram.payloadsOf("editMessageText").at(-1)?.text).toBe(t("broadcast-cancelled"));
  await say("/broadcast", MAX);
  await say("/image a fox", MAX);
  await say("/broadcast", MAX);
  await say("more news", MAX);
  await say("/cancel", MAX);
  expect(broadcasts.find(2)?.state).toBe("cancelled");
  expect(card(MAX.id, MAX.id)?.text).toBe("a fox");
  await say("/cancel", MAX);
  await say("/cancel", MAX);
  expect(said().at(-1)).toBe(t("nothing-to-cancel"));
  await say("/broadcast", MAX);
  await say("old news", MAX);
  await clock.advance(25 * HOUR_MS);
  await say("/cancel", MAX);
  expect(broadcasts.find(3)?.state).toBe("composing");
});

test("a person turns news off below one, and on again in the settings", async () => {
  const { say, tap, buttons, answered, database } = openNews();
  await say("/settings");
  await tap("nw:off");
  await tap("nw:off");
  expect(wantsNoNews(database, ANN.id)).toBe(true);
  expect(answered().at(-1)).toBe(t("news-off"));
  await say("/settings");
  const callback_data = buttons().get(t("settings-news-off")) ?? "";
  const inline_keyboard = [[{ text: t("settings-news-off"), callback_data }]];
  await tap("nw:turn", undefined, ANN, { reply_markup: { inline_keyboard } });
  expect(wantsNoNews(database, ANN.id)).toBe(false);
  expect([...buttons()], "the button says what is set now").toEqual([[t("settings-news-on"), "nw:turn"]]);
});

test.each(AUDIENCE_FIELDS)("each value of %s comes once before the first comes again", (field) => {
  const seen = [EVERYBODY];
  for (;;) {
    const next = withNext(seen.at(-1) ?? EVERYBODY, field, ["en", "ru"]);
    if (next[field] === EVERYBODY[field]) break;
    expect(seen.map((one) => one[field])).not.toContain(next[field]);
    seen.push(next);
  }
  expect(seen.length).toBeGreaterThan(1);
});

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

test("people who are not let in are neither counted nor sent to", async () => {
  const { say, broadcasts } = openNews({ allowedUsers: [ANN.id] });
  for (const person of [ANN, BORIS, MAX]) await say("/help", person);
  const { audience } = await broadcasts.compose(MAX.id, 1);
  expect(await broadcasts.count(audience)).toBe(2);
  expect(await broadcasts.nextOf(audience, { afterId: ANN.id, startedAt: Date.now() * 2 })).toBe(MAX.id);
});
