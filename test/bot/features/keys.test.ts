import { expect, test } from "vitest";
import { ANN, BORIS, IN_GROUP, openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

const KEY = /atl_[\w-]{8}_[\w-]{20}/;

test("a new key, one for two taps, is shown once, in a message that is removed by itself after five minutes", async () => {
  const { say, tap, buttons, said, clock, telegram, managed } = openBotHarness();
  await say("/keys");
  const create = buttons().get(t("button-new-key")) ?? "";
  for (let time = 0; time < 2; time += 1) await tap(create);
  expect(await managed.keys.living({ id: ANN.id, name: "Ann" })).toHaveLength(1);
  expect(said().filter((text) => KEY.test(String(text)))).toHaveLength(1);
  const shown = telegram.payloadsOf("editMessageText").find(({ text }) => KEY.test(String(text)));
  const [key = ""] = /atl_[\w-]+/.exec(String(shown?.text)) ?? [];
  expect(JSON.stringify(shown?.reply_markup)).toContain(`"copy_text":{"text":"${key}"}`);
  await clock.advance(5 * 60_000 - 1);
  expect(telegram.payloadsOf("deleteMessage")).toEqual([]);
  await clock.advance(1);
  expect(telegram.payloadsOf("deleteMessage")).toMatchObject([{ message_id: shown?.message_id }]);
});

test("/keys is in the menu of those who have a key, and of nobody else", async () => {
  const { say, tap, buttons, telegram, parts, ...world } = openBotHarness();
  const menus = () =>
    telegram.payloadsOf("setMyCommands").map(({ scope, commands }) => ({
      chat: (scope as { chat_id?: number } | undefined)?.chat_id,
      hasKeys: JSON.stringify(commands).includes('"keys"'),
    }));
  await parts.commandMenu.setAll(() => undefined);
  expect(menus().map(({ hasKeys }) => hasKeys)).not.toContain(true);
  await say("/keys");
  await tap(buttons().get(t("button-new-key")) ?? "");
  await eventually("the menu", () => menus().some(({ chat }) => chat === ANN.id));
  expect(menus().at(-1)).toEqual({ chat: ANN.id, hasKeys: true });
  // After a restart the menu is set at the first message.
  const next = openBotHarness({ world });
  await next.say("/cancel");
  await eventually("the menu", () => next.telegram.callsOf("setMyCommands").length > 0);
  await say("/keys");
  expect(telegram.said().at(-1)).toContain("not used yet");
  await tap([...buttons()].find(([label]) => label.startsWith("🗑"))?.[1] ?? "");
  await tap(buttons().get(t("button-revoke-key")) ?? "");
  await eventually("the menu", () => menus().at(-1)?.hasKeys === false);
});

test("keys are shown in private alone, and revoked by their owner alone", async () => {
  const { say, said, tap, buttons, labels, managed } = openBotHarness();
  await say("/keys", ANN, IN_GROUP);
  expect([said(), labels()]).toEqual([[t("keys-private-only")], []]);
  await say("/keys", BORIS);
  await tap(buttons().get(t("button-new-key")) ?? "", undefined, BORIS);
  const living = () => managed.keys.living({ id: BORIS.id, name: "Boris" });
  const [key] = await living();
  await say("/keys");
  await tap(`k:r:${key?.id}`);
  expect(await living()).toHaveLength(1);
});
