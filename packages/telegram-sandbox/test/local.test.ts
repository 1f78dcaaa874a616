import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call, multipart } from "./client.js";
import { png } from "./picture.js";

const ANNA = 1001;
const MEGABYTE = 1024 * 1024;

let sandbox: Sandbox;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sandbox-local-"));
  sandbox = await createSandbox({ localDirectory: directory });
  sandbox.person(ANNA).sendText("/start");
});
afterEach(() => sandbox.close());

test("a server in local mode tells the path on its disk, and a web server in front has the file too", async () => {
  const bytes = png(12, 6);
  const { result } = await call<Message>(sandbox, "sendPhoto", multipart({ chat_id: ANNA, photo: bytes }));
  const file = await call<{ file_path: string }>(sandbox, "getFile", { file_id: result.photo?.[0]?.file_id });
  const path = file.result.file_path;
  const folder = join(directory, sandbox.token);
  expect(path.startsWith(`${folder}/photos/`)).toBe(true);
  expect(await readFile(path)).toEqual(bytes);
  const download = await fetch(`${sandbox.url}/file/bot${sandbox.token}${path.slice(folder.length)}`);
  expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
});

test("a server in local mode takes and gives files above the limits of Telegram's own", async () => {
  const document = Buffer.alloc(51 * MEGABYTE, 1);
  const { result } = await call<Message>(sandbox, "sendDocument", multipart({ chat_id: ANNA, document }));
  expect(result.document?.file_size).toBe(document.length);
  const file = await call<{ file_size: number }>(sandbox, "getFile", { file_id: result.document?.file_id });
  expect(file.result.file_size).toBe(document.length);
});
