import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { table } from "../../../src/database/table.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const { t } = texts.in("en");
const BORIS = { ...ANN, id: 8 };

test("an unknown command, message or button gets an answer", async () => {
  const { say, send, tap, said, answered } = openBotHarness();
  await say("/nonsense");
  await send({ dice: { emoji: "🎲", value: 1 } });
  await tap("z:1");
  const words = { atBot: "" };
  expect(said()).toEqual([t("unknown-command", words), t("unknown-message", words)]);
  expect(answered()).toEqual([t("tap-unknown", words)]);
});

test("Telegram's service messages get no answer", async () => {
  const { send, calls } = openBotHarness();
  await send({ message_auto_delete_timer_changed: { message_auto_delete_time: 60 } });
  expect(calls).toEqual([]);
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
  ["/песня", "music"],
  ["/balanse", "balance"],
  ["/баланс", "balance"],
])("%j is answered with the command that was probably meant", async (text, command) => {
  const { say, said } = openBotHarness();
  await say(text);
  expect(said()).toEqual([t("unknown-command-meant", { command: `/${command}` })]);
});

test("an admin's command is suggested to admins alone", async () => {
  const { say, said } = openBotHarness();
  await say("/credt 7 10");
  await say("/credt 7 10", { ...ANN, id: ADMIN_ID });
  expect(said()).toEqual([
    t("unknown-command", { atBot: "" }),
    t("unknown-command-meant", { command: "/credit" }),
  ]);
});

test("the button of a suggestion opens the card with the words, for their author and once", async () => {
  const { say, tap, telegram, drafts, answered } = openBotHarness();
  await say("/imagee a cat\nin a hat");
  const { reply_parameters } = telegram.payloadsOf("sendMessage").at(-1) ?? {};
  const [data = ""] = telegram.buttons().values();
  const reply_to_message = {
    message_id: (reply_parameters as { message_id: number }).message_id,
    text: "/imagee a cat\nin a hat",
    from: ANN,
  } as never;
  await tap(data, 50, BORIS, { reply_to_message });
  expect(answered().at(-1)).toBe(t("tap-not-yours", { atBot: "" }));
  await tap(data, 50, ANN, { reply_to_message });
  const draft = withText(drafts.composing(ANN.id, ANN.id));
  expect(draft).toMatchObject({ type: "image", text: "a cat\nin a hat", view: { kind: "card" } });
  await tap(data, 50, ANN, { reply_to_message });
  expect(withText(drafts.composing(ANN.id, ANN.id))?.id).toBe(draft?.id);
  await tap(data, 50, ANN);
  expect(answered().at(-1)).toBe(t("tap-unknown", { atBot: "" }));
});

describe.each([sharedAccount(), connectedAccounts()])("where accounts are elsewhere ($kind)", (accounts) => {
  test.each(["/keys", "/terms", "/broadcast"])("%s is unknown", async (text) => {
    const { say, said } = openBotHarness({ accounts });
    await say(text, { ...ANN, id: ADMIN_ID });
    expect(said()).toEqual([t("unknown-command", { atBot: "" })]);
  });

  test.each(["/topup", "/promo summer", "/invite"])(
    "%s is answered with where the money is",
    async (text) => {
      const { say, said } = openBotHarness({ accounts });
      await say(text);
      const key = accounts.kind === "shared" ? "balance-elsewhere" : "balance-elsewhere-own";
      expect(said()).toEqual([t(key)]);
    },
  );

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

  test.each(["wc:take", "md:f"])("an old button with %s is unknown", async (data) => {
    const { tap, answered } = openBotHarness({ accounts });
    await tap(data);
    expect(answered()).toEqual([t("tap-unknown", { atBot: "" })]);
  });
});
