import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { table } from "../../../src/database/table.js";
import { ANN, BORIS, IN_GROUP, MAX, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

test("an unknown command, message or button gets an answer, and Telegram's service messages none", async () => {
  const { say, send, tap, said, answered } = openBotHarness();
  await send({ message_auto_delete_timer_changed: { message_auto_delete_time: 60 } });
  await say("/nonsense");
  await send({ dice: { emoji: "🎲", value: 1 } });
  await tap("z:1");
  const words = { atBot: "" };
  expect(said()).toEqual([t("unknown-command", words), t("unknown-message", words)]);
  expect(answered()).toEqual([t("tap-unknown", words)]);
});

const file = { file_id: "f", file_unique_id: "u" };
const sides = { ...file, width: 1, height: 1, duration: 1 };
test.each([
  ["voice", { voice: { ...file, duration: 1 } }],
  ["video", { video: sides }],
  ["video", { video_note: { ...file, length: 1, duration: 1 } }],
  ["gif", { animation: sides, document: file }],
  ["gif", { document: { ...file, mime_type: "image/gif" } }],
  ["sticker", { sticker: { ...file, type: "regular", width: 1, height: 1 } }],
  ["audio", { audio: { ...file, duration: 1 } }],
  ["document", { document: { ...file, mime_type: "application/pdf" } }],
])("a %s is refused by name", async (kind, content) => {
  const publishReference = () => Promise.reject(new ContractError("bad_reference_url"));
  const { send, said } = openBotHarness({ gateway: { publishReference } });
  await send(content as Partial<Message>);
  expect(said()).toEqual([t(`unreadable-${kind}`)]);
});

test.each([
  ["/imagee a cat", "image"],
  ["/imgae a cat", "image"],
  ["/картинка кот", "image"],
  ["/balanse", "balance"],
  ["/баланс", "balance"],
  ["/profile", "balance"],
])("%j is answered with the command that was probably meant", async (text, command) => {
  const { say, said } = openBotHarness();
  await say(text);
  expect(said()).toEqual([t("unknown-command-meant", { command: `/${command}` })]);
});

test("an admin's command is suggested to admins alone", async () => {
  const { say, said } = openBotHarness();
  await say("/credt 7 10");
  await say("/credt 7 10", MAX);
  expect(said()).toEqual([
    t("unknown-command", { atBot: "" }),
    t("unknown-command-meant", { command: "/credit" }),
  ]);
});

test("the button of a suggestion opens the card with the words, for their author and once", async () => {
  const { say, tap, buttons, telegram, card, answered } = openBotHarness();
  const text = "/imagee a cat\nin a hat";
  await say(text);
  const { reply_parameters } = telegram.payloadsOf("sendMessage").at(-1) ?? {};
  const { message_id } = reply_parameters as Message;
  const [data = ""] = buttons().values();
  const more = { reply_to_message: { message_id, text, from: ANN } as never };
  await tap(data, 50, BORIS, more);
  expect(answered().at(-1)).toBe(t("tap-not-yours", { atBot: "" }));
  await tap(data, 50, ANN, more);
  const { id } = card();
  expect(card()).toMatchObject({ type: "image", text: "a cat\nin a hat", view: { kind: "card" } });
  await tap(data, 50, ANN, more);
  expect(card().id).toBe(id);
  await tap(data, 50, ANN);
  expect(answered().at(-1)).toBe(t("tap-unknown", { atBot: "" }));
});

const CHANNEL = { id: -1_001_234, type: "channel", title: "News" };
const TELEGRAM = { ...ANN, id: 777_000, first_name: "Telegram" };

describe("a message in the name of a chat", () => {
  test.each<[string, typeof ANN, object]>([
    ["that a linked channel passed on", TELEGRAM, { is_automatic_forward: true }],
    ["of a channel that writes in the group", { ...ANN, id: 136_817_688, is_bot: true as never }, {}],
    ["of a person behind a channel", ANN, {}],
  ])("%s is nobody's: no answer, no person and no account", async (_whose, from, field) => {
    const { say, send, handle, message, calls, lookUps, parts } = openBotHarness();
    const more = { ...IN_GROUP, sender_chat: CHANNEL, ...field } as never;
    for (const text of ["/image@atelier_bot a fox", "/balance@atelier_bot", "@atelier_bot a fox"])
      await say(text, from, more);
    await send({ photo: PHOTO, ...(more as object) }, from);
    await handle({ edited_message: message({ text: "x", ...(more as object) }, from) as never });
    expect([calls, lookUps.of, parts.people.find(from.id)]).toEqual([[], 0, undefined]);
  });

  test("of the group itself is told how to order where it commands the bot, and nothing else is said", async () => {
    const { say, said } = openBotHarness();
    const more = { ...IN_GROUP, sender_chat: IN_GROUP.chat } as never;
    const anonymous = { ...ANN, id: 1_087_968_824, is_bot: true as never };
    for (const text of ["hello", "/image@other_bot", "/image@atelier_bot"]) await say(text, anonymous, more);
    expect(said()).toEqual([t("anonymous-admin")]);
  });
});

describe.each([sharedAccount(), connectedAccounts()])("where accounts are elsewhere ($kind)", (accounts) => {
  test("commands of managed accounts and their old buttons are unknown, and money is where it is", async () => {
    const { say, tap, said, answered } = openBotHarness({ accounts });
    const gone = ["/keys", "/terms", "/broadcast"];
    const ofMoney = ["/topup", "/promo summer", "/invite"];
    for (const text of [...gone, ...ofMoney]) await say(text, MAX);
    const key = accounts.kind === "shared" ? "balance-elsewhere" : "balance-elsewhere-own";
    expect(said()).toEqual([
      ...gone.map(() => t("unknown-command", { atBot: "" })),
      ...ofMoney.map(() => t(key)),
    ]);
    for (const data of ["wc:take", "md:f"]) await tap(data);
    expect(new Set(answered())).toEqual(new Set([t("tap-unknown", { atBot: "" })]));
  });

  test("talk of operators in a topic of support that was makes nobody a person", async () => {
    const eventsChat = { chatId: -100, threadId: null };
    const { database, send, parts, calls } = openBotHarness({ accounts, eventsChat });
    const topic = { chat_id: -100, thread_id: 5, user_id: ANN.id, is_closed: 0 } as const;
    await database.write("test", (tx) => table("support_topic").insert(tx, topic));
    const chat = { id: -100, type: "supergroup", title: "Desk" } as const;
    await send({ chat, is_topic_message: true, message_thread_id: 5, text: "hello" }, BORIS);
    expect(parts.people.find(BORIS.id)).toBeUndefined();
    expect(calls).toEqual([]);
  });
});
