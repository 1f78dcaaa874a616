import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawAnswer } from "../harness.js";
import { openApi, type TestApi } from "./api.js";

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const IMAGE = { type: "image", model_key: "gpt-image-2-5", prompt: "a red fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "waves at dusk" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };
/** Makes a body larger than those that are read on the main thread. */
const PADDING = " ".repeat(40_000);

async function ignored(body: unknown, headers: Record<string, string> = {}) {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  const authorization = `Bearer ${api.key}`;
  const small = await api.post(json, { authorization, ...headers });
  const large = await api.post(json + PADDING, { authorization, ...headers });
  const told = small.headers.get("x-ignored-fields");
  expect(large.headers.get("x-ignored-fields"), "of a large body").toBe(told);
  return { told, status: small.status };
}

describe("X-Ignored-Fields", () => {
  test.each<[what: string, body: object, told: string | null]>([
    ["is absent where every field is read", { ...IMAGE, count: 1, ratio: "1:1" }, null],
    ["is absent for an alias that a canonical name wins over", { ...IMAGE, prompt_text: "a cat" }, null],
    ["is absent for what the model lacks and its type has", { ...VIDEO, resolution: "1K", sound: 1 }, null],
    ["tells that `model` does not choose an image", { prompt: "a fox", model: "nano-banana-pro" }, "model"],
    ["is absent for `model` of music", { ...SONG, model_key: null, model: "suno-v5" }, null],
    ["tells what only another type has", { ...SONG, count: 2, resolution: "4K" }, "count, resolution"],
    ["tells what nobody has, in its order", { ...IMAGE, seed: 1, n: null, size: "" }, "seed, n, size"],
    ["tells names in another case", { ...VIDEO, Duration_Sec: 6 }, "Duration_Sec"],
  ])("%s", async (_what, body, told) => {
    expect(await ignored(body)).toEqual({ told, status: 200 });
  });

  test("tells of a refused request too, where a typing error is likely the reason", async () => {
    expect(await ignored({ promt: "a fox" })).toEqual({ told: "promt", status: 400 });
    expect(await ignored({ type: "pictures", prompt: "a fox", foo: 1 })).toEqual({
      told: "foo",
      status: 400,
    });
  });

  test("is in a replayed answer as in the first one", async () => {
    const headers = { "idempotency-key": "ignored" };
    expect(await ignored({ ...IMAGE, seed: 5 }, headers)).toEqual({ told: "seed", status: 200 });
    const again = await api.post({ ...IMAGE, seed: 5 }, { authorization: `Bearer ${api.key}`, ...headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-ignored-fields")).toBe("seed");
  });

  test.each([
    ["a comma and a line", "a, b\r\nset-cookie: c", "a%2C%20b%0D%0Aset-cookie%3A%20c"],
    ["Cyrillic", "размер", encodeURIComponent("размер")],
    ["a NUL, a DEL and a percent", "\0\x7f%", "%00%7F%25"],
    ["half a character", "\ud83e", "%EF%BF%BD"],
    ["nothing", "", '""'],
    ["the prototype", "__proto__", "__proto__"],
    ["too many letters", "x".repeat(50_000), "x".repeat(64)],
    ["too many of many bytes", "🦊".repeat(500), encodeURIComponent("🦊".repeat(5))],
  ])("shows a name of %s without breaking the answer", async (_what, name, told) => {
    const json = `{"prompt":"a fox",${JSON.stringify(name)}:{"prompt":"a cat"}}`;
    expect(await ignored(json)).toEqual({ told, status: 200 });
  });

  test("tells at most 20 names, in 2 KB", async () => {
    const names = Array.from({ length: 5000 }, (_, n) => `${n}${"я".repeat(60)}`);
    const json = JSON.stringify({ prompt: "a fox", ...Object.fromEntries(names.map((name) => [name, 1])) });
    const { headers } = await api.post(json);
    const told = headers.get("x-ignored-fields") ?? "";
    expect(told.split(", ").map((name) => Number.parseInt(decodeURIComponent(name), 10))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    expect(told.length).toBeLessThan(2000);
  });

  test("is one header on the wire", async () => {
    const body = JSON.stringify({ ...IMAGE, a: 1, b: 2 });
    const head = `POST /v1/generations HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${api.key}\r\nconnection: close\r\n`;
    const answer = await rawAnswer(api.url, `${head}content-length: ${body.length}\r\n\r\n${body}`);
    expect(answer.match(/^x-ignored-fields: .*$/gim)).toEqual(["x-ignored-fields: a, b"]);
  });
});
