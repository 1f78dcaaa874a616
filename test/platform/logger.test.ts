import { describe, expect, test } from "vitest";
import { unreadableReference } from "../../src/jobs/reference-reader.js";
import { gathered, redact } from "../../src/platform/logger.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";

const TOKEN = "1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const KEY = "atl_R2m9tq7xVb1uYw3zKc5pLd8fGh0jNs4a";

describe("secrets", () => {
  test.each([
    ["a bot's token", `https://api.telegram.org/bot${TOKEN}/getMe`],
    ["a key", `key ${KEY} refused`],
    ["a key behind an escape", `Bearer%20${KEY}`],
    ["a header", `authorization: Bearer ${"s".repeat(12)}`],
    ["a header in small letters", `authorization: bearer ${"s".repeat(12)}`],
    ["a header of another scheme", `authorization: Key ${"s".repeat(12)}`],
    ["a signed link", `http://host/files/a.webp?expires=1&serial=2&signature=${"s".repeat(12)}`],
    ["the address of a callback", `POST /hooks/generation_api/${"s".repeat(12)}${"-_Aa0".repeat(3)}`],
    [
      "the address of a callback in a query",
      `?fal_webhook=https%3A%2F%2Fa.example%2Fhooks%2Ffal%2F${"s".repeat(43)}`,
    ],
    ["a token in a query", `http://host/metrics?token=${"s".repeat(12)}`],
  ])("%s is redacted from a line", (_what, text) => {
    const secret = [TOKEN, KEY, "s".repeat(12)].find((each) => text.includes(each)) ?? "";
    const redacted = redact(text);
    expect(redacted).not.toContain(secret);
    expect(redacted).toMatch(/\[(token|key|secret|signature)\]/);
  });

  test("are redacted in messages, fields, errors and their causes", () => {
    const { logger, lines } = recordingLogger();
    const cause = new Error(`GET /bot${TOKEN}/getMe failed`);
    logger
      .child({ key: KEY })
      .error({ deep: { link: `?signature=${KEY}` }, err: new Error(KEY, { cause }) }, KEY);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/AAHdq|R2m9t/);
  });

  test("that the logger was given are redacted in every form, and no short word", () => {
    const secret = 'fal"key/0123456789';
    const { logger, lines } = recordingLogger("info", [secret, `${secret}-longer`, "fox"]);
    logger.info(
      { path: `/x?k=${encodeURIComponent(secret)}`, err: new Error(secret) },
      `a fox, ${secret}-longer`,
    );
    expect(JSON.stringify(lines)).not.toMatch(/fal.{1,3}key/);
    expect(lines).toMatchObject([
      { msg: "a fox, [secret]", path: "/x?k=[secret]", err: { message: "[secret]" } },
    ]);
  });

  test("are not assumed in a line without any", () => {
    const line = '{"order_id":"o-1","path":"/files/a.webp","status":200,"msg":"request"}\n';
    expect(redact(line)).toBe(line);
  });
});

describe("a logged error", () => {
  test("that is expected has no stack, nor have its causes; a fault of the program has one", () => {
    const { logger, lines } = recordingLogger();
    const cause = Object.assign(new Error("getaddrinfo ENOTFOUND a.example"), { code: "ENOTFOUND" });
    logger.warn({ err: unreadableReference(1, "it cannot be reached", { cause }) }, "job failed");
    logger.error({ err: new TypeError("x is undefined", { cause }) }, "job failed");
    expect(JSON.stringify(lines[0])).not.toContain("stack");
    expect(lines[0]).toMatchObject({ err: { cause: { code: "ENOTFOUND" } } });
    expect(lines[1]).toMatchObject({
      err: { stack: expect.any(String), cause: { stack: expect.any(String) } },
    });
  });

  test("has its code and cause, and no properties that a library added", () => {
    const { logger, lines } = recordingLogger();
    const error = Object.assign(new Error("not sent", { cause: new Error("reset") }), {
      code: "ECONNRESET",
      payload: { text: "what a person wrote" },
    });
    logger.error({ err: error }, "call failed");
    expect(lines).toMatchObject([
      {
        level: 50,
        msg: "call failed",
        err: { message: "not sent", code: "ECONNRESET", cause: { message: "reset" } },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("what a person wrote");
  });
});

test("lines are gathered for a moment; warnings, acceptances and the end of the process do not wait", async () => {
  const writes: string[] = [];
  const clock = createManualClock();
  const lines = gathered((text) => writes.push(text), clock);
  const line = (level: number, msg: string) => `{"level":${level},"msg":"${msg}"}\n`;
  lines.write(line(30, "request"));
  lines.write(line(30, "job started"));
  expect(writes).toEqual([]);
  await clock.advance(20);
  expect(writes).toEqual([line(30, "request") + line(30, "job started")]);

  lines.write(line(30, "request"));
  lines.write(line(30, "order accepted"));
  expect(writes.at(-1)).toBe(line(30, "request") + line(30, "order accepted"));
  for (const level of [40, 50, 60]) {
    lines.write(line(level, "it is so"));
    expect(writes.at(-1)).toBe(line(level, "it is so"));
  }

  lines.write(line(30, "stopped"));
  lines.flush();
  expect(writes.at(-1)).toBe(line(30, "stopped"));
  expect(clock.pending).toBe(0);
});

test("many lines do not wait for the moment", () => {
  const writes: string[] = [];
  const lines = gathered((text) => writes.push(text), createManualClock());
  for (let count = 0; count < 1000; count += 1) lines.write(`{"level":30,"msg":"request ${count}"}\n`);
  expect(writes.length).toBeGreaterThan(1);
});
