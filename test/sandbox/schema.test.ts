import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { methods } from "../../src/sandbox/methods/all.js";
import { loadBotApiSchema } from "../../src/sandbox/schema.js";
import { call } from "./client.js";

const ANNA = 1001;

let sandbox: Sandbox;
let heard: string[];

beforeEach(async () => {
  heard = [];
  sandbox = await createSandbox({ onBreach: (breach) => heard.push(breach) });
  sandbox.person(ANNA).sendText("/start");
});

test("a misspelt parameter works as on the real server, and fails the test", async () => {
  const answer = await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x", parse_mod: "HTML" });
  expect(answer.ok).toBe(true);
  expect(heard[0]).toContain('request sendMessage: / has an unknown property "parse_mod"');
  expect(() => sandbox.assertNoBreaches()).toThrow(/parse_mod/);
  await sandbox.close();
});

test("close fails for a breach that nobody met", async () => {
  await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x", link_preview_options: { off: true } });
  await expect(sandbox.close()).rejects.toThrow(/breaches of the Bot API schema/);
});

test("a breach that a test took fails nothing", async () => {
  await call(sandbox, "sendMessage", { chat_id: ANNA, text: 5 });
  expect(sandbox.takeBreaches()).toEqual([expect.stringContaining("/text must be string")]);
  await sandbox.close();
});

test("a wrong update of the sandbox itself is a breach", async () => {
  sandbox.pushUpdate("callback_query", {
    id: "1",
    from: { id: 1, is_bot: false, first_name: "A" },
    data: "x",
  });
  expect(sandbox.takeBreaches()).toEqual([expect.stringContaining("chat_instance")]);
  await sandbox.close();
});

test("a method of the Bot API that the sandbox lacks is a breach", async () => {
  expect((await call(sandbox, "getUserProfilePhotos", { user_id: ANNA })).status).toBe(501);
  expect(sandbox.takeBreaches()).toEqual(["the sandbox does not have getUserProfilePhotos"]);
  await sandbox.close();
});

test("a wrong result of the sandbox itself would be a breach", async () => {
  const schema = loadBotApiSchema();
  expect(schema.checkResult("sendMessage", { message_id: 1 })).not.toEqual([]);
  expect(schema.checkResult("getUpdates", [{ update_id: "1" }])).not.toEqual([]);
  await sandbox.close();
});

test("every method of the sandbox is one of the Bot API", async () => {
  const schema = loadBotApiSchema();
  for (const name of methods.keys()) expect(schema.methodNamed(name)).toBe(name);
  await sandbox.close();
});

test("the generated schema is of the installed types", async () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(path, "utf8")) as { source?: string; version?: string };
  const { version } = read("node_modules/@gramio/types/package.json");
  expect(read("src/sandbox/schema/bot-api.json").source).toBe(`@gramio/types ${version}`);
  await sandbox.close();
});
