import type { Message } from "grammy/types";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(ANNA).sendText("/start");
});

afterEach(() => sandbox.close());

async function post(params: object = {}): Promise<Message> {
  const answer = await call<Message>(sandbox, "sendMessage", { chat_id: ANNA, text: "card", ...params });
  expect(answer.description).toBeUndefined();
  return answer.result;
}

async function refusal(method: string, params: object): Promise<string> {
  const { status, description } = await call(sandbox, method, params);
  return `${status} ${description}`;
}

describe("a person who never wrote to the bot", () => {
  const message = { chat_id: BORIS, text: "x" };

  test("is not found", async () => {
    expect(await refusal("sendMessage", message)).toBe("400 Bad Request: chat not found");
    expect(await refusal("getChat", { chat_id: BORIS })).toBe("400 Bad Request: chat not found");
  });

  test("is a 403 once the bot saw them in a group, until the server forgets them", async () => {
    const boris = sandbox.person(BORIS);
    boris.sendText("not seen", { chat: sandbox.groupId });
    expect(await refusal("sendMessage", message)).toBe("400 Bad Request: chat not found");
    boris.sendText(`/start@${sandbox.bot.username}`, { chat: sandbox.groupId });
    expect(await refusal("sendMessage", message)).toBe(
      "403 Forbidden: bot can't initiate conversation with a user",
    );
    boris.forget();
    expect(await refusal("sendMessage", message)).toBe("400 Bad Request: chat not found");
  });

  test("is found after writing, and never by @name", async () => {
    sandbox.person(BORIS).sendText("/start");
    expect((await call(sandbox, "getChat", { chat_id: BORIS })).result).toMatchObject({ username: "boris" });
    expect(await refusal("getChat", { chat_id: "@boris" })).toBe("400 Bad Request: chat not found");
  });
});

describe("a message cannot be edited", () => {
  const CANT_EDIT = "400 Bad Request: message can't be edited";

  test.each([
    ["a forced reply", { force_reply: true }],
    ["a reply keyboard", { keyboard: [[{ text: "yes" }]] }],
    ["the removal of a keyboard", { remove_keyboard: true }],
  ])("that came with %s", async (_name, reply_markup) => {
    const { message_id } = await post({ reply_markup });
    const edit = { chat_id: ANNA, message_id, text: "x" };
    expect(await refusal("editMessageText", edit)).toBe(CANT_EDIT);
    expect((await call(sandbox, "deleteMessage", { chat_id: ANNA, message_id })).ok).toBe(true);
  });
});

test.each([
  ["left", "403 Forbidden: bot is not a member of the supergroup chat"],
  ["kicked", "403 Forbidden: bot was kicked from the supergroup chat"],
] as const)("where the bot was %s it can neither edit nor delete messages", async (status, refused) => {
  const { message_id } = await post({ chat_id: sandbox.groupId });
  sandbox.setBotStatus(ANNA, status);
  const place = { chat_id: sandbox.groupId, message_id };
  expect(await refusal("editMessageText", { ...place, text: "x" })).toBe(refused);
  expect(await refusal("deleteMessage", place)).toBe(refused);
  expect(await refusal("deleteMessages", { chat_id: place.chat_id, message_ids: [message_id] })).toBe(
    refused,
  );
});

test("nothing is edited or deleted in the chat of a deactivated person, unlike of one who blocked the bot", async () => {
  const { message_id } = await post();
  const place = { chat_id: ANNA, message_id };
  sandbox.person(ANNA).blockBot();
  expect((await call(sandbox, "editMessageText", { ...place, text: "new" })).ok).toBe(true);
  sandbox.person(ANNA).deactivate();
  const gone = "403 Forbidden: user is deactivated";
  expect(await refusal("editMessageText", { ...place, text: "x" })).toBe(gone);
  expect(await refusal("deleteMessage", place)).toBe(gone);
});

test("without a message id an edit finds nothing, and a deletion asks for the id", async () => {
  expect(await refusal("editMessageText", { chat_id: ANNA, text: "x" })).toBe(
    "400 Bad Request: message to edit not found",
  );
  expect(await refusal("deleteMessage", { chat_id: ANNA })).toBe(
    "400 Bad Request: message identifier is not specified",
  );
  sandbox.takeBreaches();
});
