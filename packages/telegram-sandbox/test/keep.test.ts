import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Update } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bigPng } from "../../../test/support/big-png.js";
import { newFolder } from "../../../test/support/new-folder.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";

const ANNA = 1001;

let directory: string;
let sandbox: Sandbox;

async function open(token?: string): Promise<void> {
  const group = { topics: ["Ideas", "Results"] };
  sandbox = await createSandbox({ directory, group, ...(token === undefined ? {} : { token }) });
}

async function restart(): Promise<void> {
  await sandbox.close();
  await open("999:another-token");
}

beforeEach(async () => {
  directory = join(newFolder(), "sandbox");
  await open();
});
afterEach(() => sandbox.close());

test("unconfirmed updates arrive after a restart, confirmed ones do not", async () => {
  const anna = sandbox.person(ANNA);
  anna.sendText("confirmed");
  const [first] = (await call<Update[]>(sandbox, "getUpdates")).result;
  anna.sendText("waiting");
  await call(sandbox, "getUpdates", { offset: (first?.update_id ?? 0) + 1 });
  await restart();
  const [waiting, ...rest] = (await call<Update[]>(sandbox, "getUpdates")).result;
  expect(waiting?.message?.text).toBe("waiting");
  expect(waiting?.update_id).toBe((first?.update_id ?? 0) + 1);
  expect(rest).toEqual([]);
});

test("files can be downloaded after a restart and sent again by their ids", async () => {
  const bytes = bigPng({ width: 7, height: 9 });
  const sizes = sandbox.person(ANNA).sendPhoto(bytes).photo ?? [];
  const photo = sizes.at(-1)?.file_id ?? "";
  await restart();
  const { result } = await call<{ file_path: string }>(sandbox, "getFile", { file_id: photo });
  const file = await fetch(`${sandbox.url}/file/bot${sandbox.token}/${result.file_path}`);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
  expect((await call(sandbox, "sendPhoto", { chat_id: ANNA, photo })).ok).toBe(true);
});

test("a blocked bot stays blocked after a restart, and a random_id stays known", async () => {
  sandbox.person(ANNA).sendText("/start");
  const body = JSON.stringify({ person: ANNA, chat: ANNA, text: "once", random_id: "7" });
  const headers = { "content-type": "application/json" };
  const send = () => fetch(`${sandbox.url}/chat/messages`, { method: "POST", body, headers });
  await send();
  await restart();
  await send();
  expect(sandbox.messages(ANNA).map(({ text }) => text)).toEqual(["/start", "once"]);
  sandbox.person(ANNA).blockBot();
  await restart();
  expect(await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x" })).toMatchObject({ error_code: 403 });
});

test("an update is on the disk before the bot can act on it", async () => {
  sandbox.person(ANNA).sendText("/start");
  await call(sandbox, "sendMessage", { chat_id: ANNA, text: "an answer" });
  // No close: the process may be killed at this moment.
  expect(readFileSync(join(directory, "state.json"), "utf8")).toContain("an answer");
});

test("a file that no sandbox wrote stops the start and stays unchanged", async () => {
  const other = newFolder();
  writeFileSync(join(other, "state.json"), '{"version":2}');
  await expect(createSandbox({ directory: other })).rejects.toThrow(/state\.json is not what a sandbox kept/);
  expect(readFileSync(join(other, "state.json"), "utf8")).toBe('{"version":2}');
});
