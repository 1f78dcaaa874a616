import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { Update } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bigPng } from "../../../test/support/big-png.js";
import { newFolder } from "../../../test/support/new-folder.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import type { PageState, SentMessage } from "../src/protocol.js";
import { call, multipart } from "./client.js";
import { openStream } from "./stream.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;
let directory: string;

beforeEach(async () => {
  directory = newFolder();
  writeFileSync(join(directory, "index.html"), "<!doctype html>");
  sandbox = await createSandbox({ pageDirectory: directory });
});

afterEach(() => sandbox.close());

function post(path: string, body: object): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${sandbox.url}${path}`, {
    method: "POST",
    body: isForm ? body : JSON.stringify(body),
    headers: isForm ? {} : { "content-type": "application/json" },
  });
}

async function state(): Promise<PageState> {
  return (await (await fetch(`${sandbox.url}/chat/state`)).json()) as PageState;
}

test("a person gets the events of their own chats only", async () => {
  const anna = await openStream(sandbox, ANNA);
  const boris = await openStream(sandbox, BORIS);
  await post("/chat/messages", { person: ANNA, chat: ANNA, text: "mine" });
  await post("/chat/messages", { person: ANNA, chat: sandbox.groupId, text: "ours" });
  expect(await anna.next(({ type }) => type === "message")).toMatchObject({ chat: ANNA });
  expect(await boris.next(({ type }) => type === "message")).toMatchObject({ message: { text: "ours" } });

  const { message_id } = sandbox.messages(ANNA)[0] ?? { message_id: 0 };
  await call(sandbox, "sendChatAction", { chat_id: ANNA, action: "typing" });
  expect(await anna.next(({ type }) => type === "action")).toMatchObject({ action: "typing" });
  await call(sandbox, "deleteMessage", { chat_id: ANNA, message_id });
  expect(await anna.next(({ type }) => type === "deleted")).toMatchObject({ message_ids: [message_id] });
  anna.close();
  boris.close();
});

test("a tap reaches the bot, and its answer reaches only the person who tapped", async () => {
  const chat = sandbox.groupId;
  const reply_markup = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
  const card = await call<{ message_id: number }>(sandbox, "sendMessage", {
    chat_id: chat,
    text: "c",
    reply_markup,
  });
  const { message_id } = card.result;
  const boris = await openStream(sandbox, BORIS);
  const tapped = await post("/chat/taps", { person: BORIS, chat, message_id, data: "go" });
  expect(tapped.status).toBe(202);
  const [update] = (await call<Update[]>(sandbox, "getUpdates")).result;
  expect(update?.callback_query).toMatchObject({ from: { id: BORIS }, data: "go", message: { message_id } });
  const answer = { callback_query_id: update?.callback_query?.id, text: "Gone", show_alert: true };
  await call(sandbox, "answerCallbackQuery", answer);
  expect(await boris.next(({ type }) => type === "callback_answer")).toEqual({
    type: "callback_answer",
    chat,
    message_id,
    data: "go",
    text: "Gone",
    show_alert: true,
  });
  boris.close();
});

test("pictures are sent as photos or documents, and their bytes are served whole or in part", async () => {
  const bytes = bigPng({ width: 30, height: 20 });
  const send = async (as?: string): Promise<SentMessage> => {
    const form = multipart(
      { person: ANNA, chat: ANNA, text: "look", file: bytes, ...(as && { as }) },
      { file: "a.png" },
    );
    return (await (await post("/chat/messages", form)).json()) as SentMessage;
  };
  const { message } = await send();
  expect(message).toMatchObject({ caption: "look", photo: [{}, { width: 30, height: 20 }] });
  const { message: file } = await send("document");
  expect(file.document).toMatchObject({ file_name: "a.png", mime_type: "image/png" });

  const url = `${sandbox.url}/chat/files/${file.document?.file_id}`;
  const whole = await fetch(url);
  expect(whole.headers.get("content-type")).toBe("image/png");
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
  const part = await fetch(url, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  expect(part.headers.get("content-range")).toBe(`bytes 1-3/${bytes.length}`);
  expect((await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);
  expect((await fetch(`${sandbox.url}/chat/files/none`)).status).toBe(404);
});

test("invalid requests are rejected with a reason", async () => {
  const refused = async (body: object) =>
    ((await (await post("/chat/messages", body)).json()) as { error: string }).error;
  expect(await refused({ person: 5, chat: ANNA, text: "x" })).toMatch(/no person 5/);
  expect(await refused({ person: BORIS, chat: ANNA, text: "x" })).toMatch(/no chat 1001/);
  expect(await refused({ person: ANNA, chat: ANNA, text: " " })).toMatch(/empty text/);
  expect(await refused({ person: ANNA })).toMatch(/chat is missing/);
  expect((await fetch(`${sandbox.url}/chat/events?person=5`)).status).toBe(400);
});

test("foreign host names, foreign pages and files outside of the page are rejected", async () => {
  const status = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${sandbox.url}${path}`, { headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
  expect(await status("/", { host: "evil.example" })).toBe(403);
  expect(await status("/chat/state", { origin: "http://evil.example" })).toBe(403);
  expect(await status("/", {})).toBe(200);
  expect(await status("/../../package.json", {})).toBe(404);
  expect(await status("/..%2f..%2fpackage.json", {})).toBe(404);
  expect(await status("/%00.html", {})).toBe(404);
  const page = await fetch(sandbox.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
});

test("the page reaches the control API of the services at its own address, where there are services", async () => {
  expect((await state()).has_services).toBe(false);
  expect((await post("/services/account", {})).status).toBe(404);
  await sandbox.close();
  const asked: unknown[] = [];
  const services = {
    control(...call: unknown[]) {
      asked.push(call);
      return { status: 400, json: { error: "no such fault" } };
    },
  };
  sandbox = await createSandbox({ pageDirectory: directory, services });
  expect((await state()).has_services).toBe(true);
  const refused = await post("/services/faults", { fault: "none" });
  expect([refused.status, await refused.json()]).toEqual([400, { error: "no such fault" }]);
  expect(asked).toEqual([["POST", "/control/faults", { fault: "none" }]]);
});
