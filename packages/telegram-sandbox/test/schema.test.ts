import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { methods } from "../src/methods/all.js";
import { loadBotApiSchema } from "../src/schema.js";
import { call } from "./client.js";

const ANNA = 1001;

let sandbox: Sandbox;
let heard: string[];

beforeEach(async () => {
  heard = [];
  sandbox = await createSandbox({ onBreach: (breach) => heard.push(breach) });
  sandbox.person(ANNA).sendText("/start");
});

test("a misspelt parameter is accepted as on the real server, and fails the test", async () => {
  const answer = await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x", parse_mod: "HTML" });
  expect(answer.ok).toBe(true);
  expect(heard[0]).toContain('request sendMessage: / has an unknown property "parse_mod"');
  expect(() => sandbox.assertNoBreaches()).toThrow(/parse_mod/);
  await sandbox.close();
});

test("close fails when a violation was not expected", async () => {
  await call(sandbox, "sendMessage", { chat_id: ANNA, text: "x", link_preview_options: { off: true } });
  await expect(sandbox.close()).rejects.toThrow(/breaches of the Bot API schema/);
});

test("an invalid update of the sandbox itself is a violation", async () => {
  sandbox.pushUpdate("callback_query", {
    id: "1",
    from: { id: 1, is_bot: false, first_name: "A" },
    data: "x",
  });
  expect(sandbox.takeBreaches()).toEqual([expect.stringContaining("chat_instance")]);
  await sandbox.close();
});

test("a Bot API method that the sandbox lacks is a violation", async () => {
  expect((await call(sandbox, "getUserProfilePhotos", { user_id: ANNA })).status).toBe(501);
  expect(sandbox.takeBreaches()).toEqual(["the sandbox does not have getUserProfilePhotos"]);
  await sandbox.close();
});

test("every method of the sandbox exists in the Bot API", async () => {
  const schema = loadBotApiSchema();
  for (const name of methods.keys()) expect(schema.methodNamed(name)).toBe(name);
  await sandbox.close();
});

test("the generated schema matches the installed types", async () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(path, "utf8")) as { source?: string; version?: string };
  const { version } = read("node_modules/@gramio/types/package.json");
  expect(read("packages/telegram-sandbox/src/schema/bot-api.json").source).toBe(`@gramio/types ${version}`);
  await sandbox.close();
});
