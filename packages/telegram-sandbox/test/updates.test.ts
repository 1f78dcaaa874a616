import type { Update } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toldClock } from "../../../test/support/stub-clocks.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";

const ANNA = 1001;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
});

afterEach(() => sandbox.close());

async function updates(params: object = {}): Promise<Update[]> {
  return (await call<Update[]>(sandbox, "getUpdates", params)).result;
}

function texts(list: readonly Update[]): (string | undefined)[] {
  return list.map(({ message }) => message?.text);
}

test("updates are repeated until an offset beyond them confirms them", async () => {
  for (const text of ["one", "two", "three"]) sandbox.person(ANNA).sendText(text);
  const first = await updates({ limit: 2 });
  expect(texts(first)).toEqual(["one", "two"]);
  expect(texts(await updates({ limit: 2 }))).toEqual(["one", "two"]);
  const offset = (first[1]?.update_id ?? 0) + 1;
  expect(texts(await updates({ offset }))).toEqual(["three"]);
  expect(texts(await updates())).toEqual(["three"]);
  expect(await updates({ offset: offset + 1 })).toEqual([]);
});

test("taps wait 150 s for a poll, messages and membership changes 24 hours from their date", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const aging = await createSandbox({ clock: toldClock(() => nowMs) });
  const anna = aging.person(ANNA);
  anna.tapData(anna.sendText("card").message_id, "a");
  anna.blockBot();
  const kinds = async () =>
    (await call<Update[]>(aging, "getUpdates")).result.map((update) => Object.keys(update)[1]);
  nowMs += 149_999;
  expect(await kinds()).toEqual(["message", "callback_query", "my_chat_member"]);
  nowMs += 1;
  expect(await kinds()).toEqual(["message", "my_chat_member"]);
  nowMs += 24 * 3_600_000 - 150_001;
  expect(await kinds()).toHaveLength(2);
  nowMs += 1;
  expect(await kinds()).toEqual([]);
  const chat = { id: ANNA, type: "private", first_name: "Anna" };
  const old = { message_id: 1, chat, date: nowMs / 1000 - 24 * 3600, text: "old" };
  expect(aging.pushUpdate("message", old)).toBeUndefined();
  await aging.close();
});

test("a second poller ends the first one with a 409", async () => {
  const first = call(sandbox, "getUpdates", { timeout: 50 });
  await sandbox.waitForPoller();
  const second = call<Update[]>(sandbox, "getUpdates", { timeout: 50 });
  expect(await first).toMatchObject({
    status: 409,
    description:
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  });
  await sandbox.waitForPoller();
  sandbox.person(ANNA).sendText("to the second");
  expect(texts((await second).result)).toEqual(["to the second"]);
});

test("allowed_updates is kept between calls and decides what is queued", async () => {
  await updates({ allowed_updates: ["callback_query"] });
  const { message_id } = sandbox.person(ANNA).sendText("not wanted");
  sandbox.person(ANNA).tapData(message_id, "wanted");
  expect((await updates()).map(({ callback_query }) => callback_query?.data)).toEqual(["wanted"]);
});

test("each tap is a new query, and a tap sent again is the same query under a new update id", async () => {
  const anna = sandbox.person(ANNA);
  const { message_id } = anna.sendText("card");
  anna.tapData(message_id, "a");
  anna.tapData(message_id, "a");
  anna.resendLastTap();
  const taps = (await updates()).slice(1);
  const [first, second, again] = taps.map(({ callback_query }) => callback_query?.id);
  expect(second).not.toBe(first);
  expect(again).toBe(second);
  expect(new Set(taps.map(({ update_id }) => update_id)).size).toBe(3);
});

test("a tap on a deleted message carries an inaccessible message", async () => {
  const anna = sandbox.person(ANNA);
  const { message_id } = anna.sendText("card");
  await call(sandbox, "deleteMessage", { chat_id: ANNA, message_id });
  anna.tapData(message_id, "late");
  const tap = (await updates()).at(-1)?.callback_query;
  expect(tap?.message).toEqual({ message_id, date: 0, chat: expect.objectContaining({ id: ANNA }) });
});

test("a long text of a person arrives in parts, and an edit as an edit", async () => {
  const anna = sandbox.person(ANNA);
  anna.sendText("a".repeat(5000));
  const { message_id } = anna.sendText("tpyo");
  anna.editText(message_id, "typo");
  const list = await updates();
  expect(texts(list).map((text) => text?.length)).toEqual([4096, 904, 4, undefined]);
  expect(list.at(-1)?.edited_message?.text).toBe("typo");
});
