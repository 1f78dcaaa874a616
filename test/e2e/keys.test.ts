import type { TelegramMessage } from "@gramio/types";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const KEY = /atl_[\w-]{8}_[\w-]{43}/;

function accountOf(userId: number): number {
  const account = service.desk.accounts().find(({ telegram_id }) => telegram_id === userId);
  if (!account) throw new Error(`no account of ${userId}`);
  return account.id;
}

const livingKeys = (userId: number) =>
  service.desk.keys(accountOf(userId)).filter(({ revokedAt }) => revokedAt === null);

function buttonsOf({ reply_markup: markup }: TelegramMessage): unknown[] {
  return markup && "inline_keyboard" in markup ? markup.inline_keyboard.flat() : [];
}

/** The message that shows a whole key, while it is in the chat. */
const shownKey = (chatter: Chatter): TelegramMessage | undefined =>
  chatter.heard().find(({ text }) => KEY.test(text ?? ""));

describe("/keys", () => {
  test("makes a key with a copy button, shows it once, and takes the message away", async () => {
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("/keys");
    const list = await ann.seeButton("New key", "You have no keys yet");
    const taps = [ann.person.tap(list, "➕ New key"), ann.person.tap(list, "➕ New key")];
    const message = await ann.seeButton("Copy the key");
    await Promise.all(taps.map((tap) => tap.answered()));
    const [key = ""] = KEY.exec(message.text ?? "") ?? [];
    expect(buttonsOf(message)).toContainEqual({ text: "📋 Copy the key", copy_text: { text: key } });

    // The second of the two taps made no second key.
    const [made, ...others] = livingKeys(ANN.id);
    expect(others).toEqual([]);
    const { text } = await ann.seeButton(`🗑 ${made?.prefix}`);
    expect(text).not.toMatch(KEY);
    expect(text).toContain("not used yet");
    expect(JSON.stringify(service.lines)).not.toContain(key);

    await ann.press("I have it");
    await eventually("the key is out of the chat", () => !shownKey(ann));
  });

  test("revokes a key after asking, in Russian too", async () => {
    const boris = new Chatter(service.sandbox.person(BORIS.id));
    boris.say("/keys");
    await boris.press("Новый ключ");
    await boris.seeButton("Скопировать ключ");
    await boris.press("🗑 atl_");
    await boris.press("Отозвать");
    await boris.see("Ключей пока нет");
    expect(livingKeys(BORIS.id)).toEqual([]);
    expect(service.desk.keys(accountOf(BORIS.id))).toHaveLength(1);
  });

  test("a key that was shown before a restart still goes", async () => {
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("/keys");
    await ann.press("New key");
    await ann.seeButton("Copy the key");
    await service.restart();
    await ann.press("I have it");
    await eventually("the key is out of the chat", () => !shownKey(ann));
  });

  test("shows nothing in a group, and ends nobody else's key", async () => {
    const boris = new Chatter(service.sandbox.person(BORIS.id));
    boris.say("/keys");
    await boris.press("Новый ключ");
    await boris.seeButton("Скопировать ключ");
    const [key] = livingKeys(BORIS.id);
    const group = service.sandbox.groupId;
    const ann = new Chatter(service.sandbox.person(ANN.id), group);
    ann.say("/keys");
    const refusal = await ann.see("our private chat");
    expect(labelsOf(refusal)).toEqual([]);

    const annAlone = new Chatter(service.sandbox.person(ANN.id));
    annAlone.say("/keys");
    const list = await annAlone.seeButton("New key");
    service.sandbox.pushUpdate("callback_query", {
      id: "forged",
      from: { id: ANN.id, is_bot: false, first_name: "Ann", username: "ann", language_code: "en" },
      message: list,
      chat_instance: "1",
      data: `k:r:${key?.id}`,
    });
    await service.sandbox.waitForCall(
      "answerCallbackQuery",
      ({ params }) => params.callback_query_id === "forged",
    );
    expect(livingKeys(BORIS.id)).toHaveLength(1);
  });
});
