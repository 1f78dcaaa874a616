import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bigPng } from "../../../test/support/big-png.js";
import { toldClock } from "../../../test/support/stub-clocks.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call, multipart } from "./client.js";

const ANNA = 1001;
const BORIS = 1002;
const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
const TOO_OLD = "query is too old and response timeout expired or query ID is invalid";

let sandbox: Sandbox;
/** A text, a photo and a message of Anna in her private chat. */
let text: number;
let photo: number;
let hers: number;

beforeEach(async () => {
  sandbox = await createSandbox();
  hers = sandbox.person(ANNA).sendText("hello").message_id;
  text = (await call<{ message_id: number }>(sandbox, "sendMessage", { chat_id: ANNA, text: "card" })).result
    .message_id;
  const body = multipart({ chat_id: ANNA, photo: bigPng({ width: 9, height: 9 }) });
  photo = (await call<{ message_id: number }>(sandbox, "sendPhoto", body)).result.message_id;
});

afterEach(() => sandbox.close());

function markup(button: object): object {
  return { text: "x", reply_markup: { inline_keyboard: [[button]] } };
}

function toAnna(fields: Record<string, unknown>, names?: Record<string, string>): FormData {
  return multipart({ chat_id: ANNA, ...fields }, names);
}

function album(count: number, ...types: string[]): object {
  const media = Array.from({ length: count }, (_, index) => ({
    type: types[index % types.length],
    media: `attach://f${index}`,
  }));
  const files = Object.fromEntries(media.map((_, index) => [`f${index}`, bigPng({ width: 5, height: 5 })]));
  return toAnna({ media, ...files });
}

/** A call for the chat of Anna, where it does not name another. */
type Case = [description: string, method: string, params: () => object];

const CASES: Case[] = [
  ["chat not found", "sendMessage", () => ({ chat_id: 77, text: "x" })],
  ["message text is empty", "sendMessage", () => ({ text: "" })],
  ["text must be non-empty", "sendMessage", () => ({ text: " \n " })],
  ["message is too long", "sendMessage", () => ({ text: "я".repeat(4097) })],
  [
    "message caption is too long",
    "sendPhoto",
    () => toAnna({ photo: bigPng({ width: 5, height: 5 }), caption: "я".repeat(1025) }),
  ],
  [NOT_MODIFIED, "editMessageText", () => ({ message_id: text, text: "card" })],
  ["message to edit not found", "editMessageText", () => ({ message_id: 99999, text: "x" })],
  ["message to delete not found", "deleteMessage", () => ({ message_id: 99999 })],
  ["message can't be edited", "editMessageText", () => ({ message_id: hers, text: "x" })],
  ["there is no text in the message to edit", "editMessageText", () => ({ message_id: photo, text: "x" })],
  [
    "there is no caption in the message to edit",
    "editMessageCaption",
    () => ({ message_id: text, caption: "x" }),
  ],
  [TOO_OLD, "answerCallbackQuery", () => ({ callback_query_id: "1" })],
  ["BUTTON_DATA_INVALID", "sendMessage", () => markup({ text: "b", callback_data: "я".repeat(33) })],
  [
    "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    "sendMessage",
    () => markup({ text: "b" }),
  ],
  [
    'can\'t parse entities: Unsupported start tag "x" at byte offset 3',
    "sendMessage",
    () => ({ text: "я <x>", parse_mode: "HTML" }),
  ],
  [
    "message to be replied not found",
    "sendMessage",
    () => ({ text: "x", reply_parameters: { message_id: 99999 } }),
  ],
  ["message thread not found", "sendMessage", () => ({ text: "x", message_thread_id: 99999 })],
  ["there is no photo in the request", "sendPhoto", () => ({ photo: "" })],
  [
    "wrong remote file identifier specified: can't unserialize it",
    "sendPhoto",
    () => ({ photo: "AgACAgIAAxkBAAI" }),
  ],
  ["too many messages to send as an album", "sendMediaGroup", () => album(11, "photo")],
  ["audio can't be mixed with other media types", "sendMediaGroup", () => album(2, "photo", "audio")],
  ["file must be non-empty", "sendDocument", () => toAnna({ document: Buffer.alloc(0) })],
  [
    "file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes",
    "sendPhoto",
    () => toAnna({ photo: Buffer.alloc(10485761) }),
  ],
  ["IMAGE_PROCESS_FAILED", "sendPhoto", () => toAnna({ photo: Buffer.from("no") }, { photo: "a.jpg" })],
  ["PHOTO_INVALID_DIMENSIONS", "sendPhoto", () => toAnna({ photo: bigPng({ width: 2100, height: 100 }) })],
  ["BOT_COMMAND_INVALID", "setMyCommands", () => ({ commands: [{ command: "Ä", description: "x" }] })],
  [
    "photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp",
    "sendPhoto",
    () => toAnna({ photo: bigPng({ width: 5, height: 5 }) }, { photo: "a.bin" }),
  ],
  [
    "command length must not exceed 32",
    "setMyCommands",
    () => ({ commands: [{ command: "a".repeat(33), description: "x" }] }),
  ],
  [
    "command description length must not exceed 256",
    "setMyCommands",
    () => ({ commands: [{ command: "a", description: "x".repeat(257) }] }),
  ],
  ["chat not found", "sendMessage", () => ({ chat_id: BORIS, text: "x" })],
  ["chat not found", "setMyCommands", () => ({ commands: [], scope: { type: "chat", chat_id: BORIS } })],
  ["strings must be encoded in UTF-8", "sendMessage", () => ({ text: "😀".slice(0, 1) })],
  ["MESSAGE_TOO_LONG", "editMessageText", () => ({ message_id: text, text: "x".repeat(4097) })],
];

test.each(CASES)("a call is rejected in the server's words: %s (%s)", async (words, method, paramsOf) => {
  const given = paramsOf();
  const isInChat = /^(?:send|edit|delete)/.test(method) && !(given instanceof FormData);
  const answer = await call(sandbox, method, isInChat ? { chat_id: ANNA, ...given } : given);
  const description = `Bad Request: ${words}`;
  expect(answer).toMatchObject({ ok: false, status: 400, error_code: 400, description });
});

describe("a call that also breaks the schema", () => {
  afterEach(() => {
    expect(sandbox.takeBreaches()).not.toEqual([]);
  });

  test("lacks chat_id", async () => {
    expect((await call(sandbox, "sendMessage", { text: "x" })).description).toBe(
      "Bad Request: chat_id is empty",
    );
  });

  test("has an unknown parse mode", async () => {
    const answer = await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x", parse_mode: "BBCode" });
    expect(answer.description).toBe("Bad Request: unsupported parse_mode");
  });
});

test("an unknown token and an unknown method are rejected, and any case of a method is known", async () => {
  expect(await call(sandbox, "getMe", {}, "999:AAA")).toMatchObject({
    status: 401,
    description: "Unauthorized",
  });
  const unknown = { status: 404, description: "Not Found: method not found" };
  expect(await call(sandbox, "getYou")).toMatchObject(unknown);
  expect(await call(sandbox, "GETME")).toMatchObject({ status: 200, result: { is_bot: true } });
});

test("sends to a person who blocked the bot or is deactivated are rejected", async () => {
  const anna = sandbox.person(ANNA);
  anna.blockBot();
  const params = { chat_id: ANNA, text: "x" };
  const blocked = { status: 403, description: "Forbidden: bot was blocked by the user" };
  expect(await call(sandbox, "sendMessage", params)).toMatchObject(blocked);
  anna.sendText("back again");
  expect(await call(sandbox, "sendMessage", params)).toMatchObject({ ok: true });
  anna.deactivate();
  const gone = { status: 403, description: "Forbidden: user is deactivated" };
  expect(await call(sandbox, "sendMessage", params)).toMatchObject(gone);
});

test("getFile over 20 MB and a request over 50 MiB are rejected", async () => {
  const large = multipart({ chat_id: ANNA, document: Buffer.alloc(20 * 1024 * 1024 + 1) });
  const sent = await call<{ document: { file_id: string } }>(sandbox, "sendDocument", large);
  const file = await call(sandbox, "getFile", { file_id: sent.result.document.file_id });
  expect(file.description).toBe("Bad Request: file is too big");
  // The boundaries of multipart count too, so that a file of exactly 50 MiB is too large.
  const huge = multipart({ chat_id: ANNA, document: Buffer.alloc(50 * 1024 * 1024) });
  const answer = await call(sandbox, "sendDocument", huge);
  expect(answer).toMatchObject({ status: 413, description: "Request Entity Too Large" });
  expect(sandbox.calls.at(-1)).toMatchObject({ method: "sendDocument", status: 413 });
});

test("another person's group message, and one older than 48 hours, cannot be deleted", async () => {
  let nowMs = Date.now();
  const clock = toldClock(() => nowMs);
  const old = await createSandbox({ clock });
  old.person(ANNA).sendText("/start");
  const { result } = await call<{ message_id: number }>(old, "sendMessage", { chat_id: ANNA, text: "x" });
  nowMs += 49 * 3600 * 1000;
  const refused = { description: "Bad Request: message can't be deleted" };
  const own = { chat_id: ANNA, message_id: result.message_id };
  const forEveryone = { description: "Bad Request: message can't be deleted for everyone" };
  expect(await call(old, "deleteMessage", own)).toMatchObject(forEveryone);
  const said = old.person(ANNA).sendText("/x", { chat: old.groupId });
  const theirs = { chat_id: old.groupId, message_id: said.message_id };
  expect(await call(old, "deleteMessage", theirs)).toMatchObject(refused);
  await old.close();
});

test("a callback query is answered once, and not after 15 s", async () => {
  let nowMs = Date.now();
  const timed = await createSandbox({ clock: toldClock(() => nowMs) });
  const anna = timed.person(ANNA);
  const { message_id } = anna.sendText("/start");
  const tap = anna.tapData(message_id, "a");
  expect(await call(timed, "answerCallbackQuery", { callback_query_id: tap.id })).toMatchObject({ ok: true });
  expect((await call(timed, "answerCallbackQuery", { callback_query_id: tap.id })).description).toBe(
    `Bad Request: ${TOO_OLD}`,
  );
  const late = anna.tapData(message_id, "b");
  nowMs += 15_001;
  expect((await call(timed, "answerCallbackQuery", { callback_query_id: late.id })).description).toBe(
    `Bad Request: ${TOO_OLD}`,
  );
  await timed.close();
});
