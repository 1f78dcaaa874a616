import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { wantsNoNews } from "../../../../src/bot/people/people.js";
import { ADMIN_ID, ANN, managedOf, openBotHarness } from "../../../support/bot-harness.js";
import { openBotWorld } from "../../../support/bot-world.js";
import { texts } from "../../../support/drafts.js";

const { t } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Ada" };

function openDesk(options: Parameters<typeof openBotHarness>[0] = {}) {
  const bot = openBotHarness(options);
  const { broadcasts } = managedOf(bot.parts);
  return {
    ...bot,
    broadcasts,
    press: (label: string) => bot.tap(bot.buttons().get(label) ?? "none", undefined, ADMIN),
  };
}

test("an admin sees the message as people will, then sends it to those who are meant, once for two taps", async () => {
  const { say, press, buttons, telegram, broadcasts, managed, tap } = openDesk();
  await say("/help");
  await say("/broadcast", ADMIN);
  await say("Suno V6 is here", ADMIN);
  expect(telegram.payloadsOf("copyMessage")).toHaveLength(1);
  expect([...buttons().keys()]).toContain(t("button-broadcast-send", { count: 2 }));
  const stale = buttons().get(t("button-broadcast-send", { count: 2 })) ?? "";
  await press(t("broadcast-locale-all"));
  await tap(stale, undefined, ADMIN);
  expect(broadcasts.running(), "an old button sends nothing").toBeUndefined();
  const send = buttons().get(t("button-broadcast-send", { count: 2 })) ?? "";
  await tap(send, undefined, ADMIN);
  await tap(send, undefined, ADMIN);
  expect(broadcasts.running()).toMatchObject({ total: 2, audience: { locale: "en" } });
  expect(managed.audit.list({ limit: 9 })).toMatchObject([
    { act: "broadcast", subject: "broadcast:1", after: { total: 2 } },
  ]);
});

test("a broadcast whose act cannot be recorded does not begin, nor stop", async () => {
  const world = openBotWorld();
  const { say, tap, buttons, broadcasts } = openDesk({ world });
  const beside = new Sqlite(join(world.directory, "a.db"));
  const fill = () =>
    beside.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'no room'); END");
  fill();
  await say("/broadcast", ADMIN);
  await say("news", ADMIN);
  const send = buttons().get(t("button-broadcast-send", { count: 1 })) ?? "none";
  await tap(send, undefined, ADMIN);
  expect(broadcasts.running()).toBeUndefined();
  beside.exec("DROP TRIGGER full");
  await tap(send, undefined, ADMIN);
  expect(broadcasts.running()?.id).toBe(1);
  fill();
  beside.close();
  await tap("bc:p:1", undefined, ADMIN);
  expect(broadcasts.find(1)?.state).toBe("running");
});

test("a broadcast is cancelled before it begins, stopped and gone on with after", async () => {
  const { say, press, broadcasts } = openDesk();
  await say("/broadcast", ADMIN);
  await say("one", ADMIN);
  await press(t("button-cancel"));
  expect(broadcasts.find(1)?.state).toBe("cancelled");
  await say("/broadcast", ADMIN);
  await say("two", ADMIN);
  await press(t("button-broadcast-send", { count: 1 }));
  await press(t("button-broadcast-stop"));
  expect(broadcasts.find(2)?.state).toBe("stopped");
  await press(t("button-broadcast-resume"));
  expect(broadcasts.find(2)?.state).toBe("running");
});

test("an album is refused with the reason, and a single message is then taken", async () => {
  const { say, send, said, telegram } = openDesk();
  await say("/broadcast", ADMIN);
  await send({ media_group_id: "1", photo: [], caption: "x" } as never, ADMIN);
  expect(said().at(-1)).toBe(t("broadcast-no-album"));
  await say("one message", ADMIN);
  expect(telegram.payloadsOf("copyMessage")).toHaveLength(1);
});

test("a person turns news off below one, and on again in the settings", async () => {
  const { say, tap, buttons, answered, database } = openDesk();
  await say("/settings");
  await tap("nw:off");
  await tap("nw:off");
  expect(wantsNoNews(database, ANN.id)).toBe(true);
  expect(answered().at(-1)).toBe(t("news-off"));
  await say("/settings");
  const inline_keyboard = [
    [{ text: t("settings-news-off"), callback_data: buttons().get(t("settings-news-off")) ?? "" }],
  ];
  await tap("nw:turn", undefined, ANN, { reply_markup: { inline_keyboard } });
  expect(wantsNoNews(database, ANN.id)).toBe(false);
  expect([...buttons()], "the button says what is set now").toEqual([[t("settings-news-on"), "nw:turn"]]);
});
