import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import fc from "../../../test/support/fast-check.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { methods } from "../src/methods/all.js";
import { call } from "./client.js";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(1001).sendText("/start");
});

afterEach(async () => {
  sandbox.takeBreaches();
  await sandbox.close();
});

test("any parameters to any method get an answer and never crash the sandbox", async () => {
  const names = [...methods.keys()].filter((name) => name !== "getUpdates");
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(1001, sandbox.groupId, "attach://a", "HTML", "<b>"));
  const params = fc.record(
    {
      chat_id: fc.constantFrom<unknown>(1001, sandbox.groupId, null, [], {}),
      text: value,
      caption: value,
      parse_mode: value,
      entities: value,
      message_id: value,
      media: value,
      photo: value,
      reply_markup: fc.oneof(value, fc.record({ inline_keyboard: value })),
      reply_parameters: value,
      commands: value,
      scope: value,
      action: value,
      name: value,
      file_id: value,
    },
    { requiredKeys: ["chat_id"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), params, async (method, given) => {
      const { status } = await call(sandbox, method, given);
      expect([200, 400, 403]).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect(sandbox.breaches.filter((breach) => breach.startsWith("the sandbox failed"))).toEqual([]);
});

test.each([
  ["application/json", "{"],
  ["application/json", "[]"],
  ["multipart/form-data", "no boundary"],
  ["multipart/form-data; boundary=x", "--x\r\nbroken"],
  ["application/x-www-form-urlencoded", "%E0%A4%A"],
])("a malformed body of %s is rejected", async (type, body) => {
  const headers = { "content-type": type };
  const response = await fetch(`${sandbox.url}/bot${sandbox.token}/sendMessage`, {
    method: "POST",
    body,
    headers,
  });
  expect(response.status).toBe(400);
});

test("a client that aborts an upload does not affect the server", async () => {
  const { port } = new URL(sandbox.url);
  const socket = connect(Number(port), "127.0.0.1");
  const head = `POST /bot${sandbox.token}/sendPhoto HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  const type = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n";
  socket.write(`${head}${type}--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\nabc`);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.destroy();
  const garbage = connect(Number(port), "127.0.0.1");
  garbage.write("\0\0\0 nonsense\r\n\r\n");
  await new Promise((resolve) => garbage.once("close", resolve));
  expect((await call(sandbox, "getMe")).ok).toBe(true);
});
