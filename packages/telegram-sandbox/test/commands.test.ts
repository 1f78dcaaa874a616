import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandBook } from "../src/command-book.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";
import { openStream } from "./stream.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(ANNA).sendText("/start");
});

afterEach(() => sandbox.close());

function set(command: string, scope?: object, language_code?: string) {
  const commands = [{ command, description: command }];
  return call(sandbox, "setMyCommands", {
    commands,
    ...(scope && { scope }),
    ...(language_code && { language_code }),
  });
}

/** What completion offers to a person in a chat, as the page hears it. */
async function offered(person: number, chat: number): Promise<string[]> {
  const stream = await openStream(sandbox, person);
  const event = await stream.next((each) => each.type === "commands" && each.chat === chat);
  stream.close();
  return event.type === "commands" ? event.commands.map(({ command }) => command) : [];
}

test("the narrowest command scope wins, and within it the person's language", async () => {
  const group = sandbox.groupId;
  expect(await offered(ANNA, ANNA)).toEqual([]);
  await set("everywhere");
  await set("vezde", undefined, "ru");
  expect([await offered(ANNA, ANNA), await offered(BORIS, group)]).toEqual([["everywhere"], ["vezde"]]);
  await set("private", { type: "all_private_chats" });
  await set("groups", { type: "all_group_chats" });
  expect([await offered(BORIS, BORIS), await offered(BORIS, group)]).toEqual([["private"], ["groups"]]);
  await set("hers", { type: "chat", chat_id: ANNA });
  await set("studio", { type: "chat", chat_id: group });
  await set("his", { type: "chat_member", chat_id: group, user_id: BORIS });
  expect([await offered(ANNA, ANNA), await offered(ANNA, group), await offered(BORIS, group)]).toEqual([
    ["hers"],
    ["studio"],
    ["his"],
  ]);
});

test("an open page gets new commands at once", async () => {
  const stream = await openStream(sandbox, ANNA);
  await set("fresh");
  const event = await stream.next((each) => each.type === "commands" && each.commands.length > 0);
  expect(event).toMatchObject({ commands: [{ command: "fresh", description: "fresh" }] });
  stream.close();
});

test("an open page gets the bot's description in the person's language at once", async () => {
  const stream = await openStream(sandbox, ANNA);
  await call(sandbox, "setMyDescription", { description: "Malt Bilder", language_code: "de" });
  await call(sandbox, "setMyDescription", { description: "Makes pictures" });
  const event = await stream.next((each) => each.type === "commands" && each.description !== "");
  expect(event).toMatchObject({ chat: ANNA, description: "Makes pictures" });
  stream.close();
});

test("invalid commands are rejected in the server's words", () => {
  const book = new CommandBook();
  const one = { command: "a", description: "a" };
  expect(() => book.set(Array(101).fill(one), undefined, "")).toThrow("BOT_COMMANDS_TOO_MUCH");
  expect(() => book.set([one], undefined, "rus")).toThrow("invalid language code specified");
  expect(() => book.set([one], { type: "chat" }, "")).toThrow("chat_id is empty");
  expect(() => book.set([one], { type: "nobody" }, "")).toThrow("Unsupported type specified");
  expect(() => book.set([5], undefined, "")).toThrow("can't parse BotCommand");
});

test("the bot's descriptions are stored by language", async () => {
  await call(sandbox, "setMyDescription", { description: "Makes pictures" });
  expect((await call(sandbox, "getMyDescription")).result).toEqual({ description: "Makes pictures" });
  await call(sandbox, "setMyShortDescription", { short_description: "Pictures" });
  expect((await call(sandbox, "getMyShortDescription", { language_code: "ru" })).result).toEqual({
    short_description: "Pictures",
  });
});
