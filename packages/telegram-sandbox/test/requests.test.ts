import type { Message } from "grammy/types";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call, multipart } from "./client.js";

const ANNA = 1001;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(ANNA).sendText("/start");
});

afterEach(() => sandbox.close());

function send(params: object) {
  return call<Message>(sandbox, "sendMessage", { chat_id: ANNA, text: "x", ...params });
}

function buttons(...rows: readonly object[][]): object {
  return { reply_markup: { inline_keyboard: rows } };
}

const row = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: "b", callback_data: `d${index}` }));

describe("reply markup", () => {
  test("is rejected over 100 buttons, and over 10 kB", async () => {
    const rows = Array.from({ length: 13 }, () => row(8));
    const refused = { status: 400, description: "Bad Request: reply markup is too long" };
    expect(await send(buttons(...rows))).toMatchObject(refused);
    const long = { text: "t".repeat(250), callback_data: "d".repeat(64) };
    expect(await send(buttons(...Array.from({ length: 40 }, () => [long])))).toMatchObject(refused);
    expect(await send(buttons(...rows.slice(1)))).toMatchObject({ ok: true });
  });

  test("may have 12 buttons in a row; further ones are dropped and reported", async () => {
    const twelve = await send(buttons(row(12)));
    expect(sandbox.breaches).toEqual([]);
    const cut = await send(buttons(row(13)));
    for (const { result } of [twelve, cut]) expect(result.reply_markup?.inline_keyboard[0]).toHaveLength(12);
    expect(sandbox.takeBreaches()).toEqual([expect.stringContaining("13 buttons")]);
  });

  test("accepts a URL with a dot in its host, or an IPv6 host", async () => {
    for (const url of ["http://127.0.0.1:80/a", "http://[::1]/a", "https://example.org"]) {
      expect((await send(buttons([{ text: "b", url }]))).ok).toBe(true);
    }
    const description =
      "Bad Request: inline keyboard button URL 'http://localhost/' is invalid: Wrong HTTP URL";
    expect(await send(buttons([{ text: "b", url: "http://localhost/" }]))).toMatchObject({ description });
  });
});

describe("a message text", () => {
  const textOf = async (text: string) => (await send({ text })).result.text;

  test("loses control characters, direction marks and surrounding blanks", async () => {
    expect(await textOf(" a\tb\u0007c\r\nd\u202ee\u0333 \n")).toBe("a b c\nde");
    expect(await textOf("\u00a0a\u00a0")).toBe("\u00a0a\u00a0");
  });

  test.each(["\u00a0", "\u200b\u200d", "\u2800", " \ufeff\n"])(
    "without a visible character is rejected: %j",
    async (text) => {
      expect(await send({ text })).toMatchObject({
        status: 400,
        description: "Bad Request: text must be non-empty",
      });
    },
  );

  test("has at most 100 entities, and keeps their offsets when characters are removed", async () => {
    const { result } = await send({ text: "\u202e<b>b</b> ".repeat(101), parse_mode: "HTML" });
    expect(result.entities).toHaveLength(100);
    expect(result.entities?.[99]).toEqual({ type: "bold", offset: 198, length: 1 });
  });
});

describe("an upload", () => {
  const upload = (bytes: number) =>
    call(sandbox, "sendDocument", multipart({ chat_id: ANNA, document: Buffer.alloc(bytes, 1) }));

  test("is aborted where a test orders it, and a smaller one is not", async () => {
    const fault = sandbox.faults.add({
      method: "sendDocument",
      times: Number.POSITIVE_INFINITY,
      answer: { type: "cut", afterBytes: 1024 * 1024 },
    });
    expect((await upload(1000)).ok).toBe(true);
    expect(fault.struck).toBe(0);
    await expect(upload(2 * 1024 * 1024)).rejects.toThrow();
    expect(fault.struck).toBe(1);
    const cut = await sandbox.waitForCall("sendDocument", ({ error }) => error === "cut");
    expect(cut.status).toBeUndefined();
  });
});
