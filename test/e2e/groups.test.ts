import { createSandbox } from "@atelier/telegram-sandbox";
import { describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;

const inGroup = (id: number) => new Chatter(service.sandbox.person(id), service.sandbox.groupId);

/** Commands that a text names without the bot's name. */
function bareCommands(text = ""): string[] {
  return text.match(/(?<![\w/])\/[a-z]+\b(?!@)/g) ?? [];
}

describe("in a group with privacy mode the bot suggests only what is sure to reach it:", () => {
  test("commands with its name, in the greeting, the help and every hint, and no mentions", async () => {
    service = await startTestService();
    const ann = inGroup(ANN.id);
    const at = `@${service.sandbox.bot.username}`;
    ann.say(toBot(service, "/start"));
    const greeting = await ann.see(`/image${at} a red fox`);
    ann.say(toBot(service, "/help"));
    const help = await ann.see("by replying");
    expect(help.text).toContain("reaches me in a group for sure");
    expect(help.text).not.toContain(`with ${at}`);
    ann.say(toBot(service, "/cancel"));
    const cancel = await ann.see(`Start with /image${at}`);
    ann.say(toBot(service, "/nonsense"));
    const unknown = await ann.see(`/help${at} shows`);
    ann.say(toBot(service, "/music"));
    const question = await ann.see(`cancel with /cancel${at}`);
    ann.say(at, { replyTo: question.message_id });
    const empty = await ann.see("Send me a text", question.message_id);
    for (const { text } of [greeting, help, cancel, unknown, question, empty])
      expect(bareCommands(text)).toEqual([]);
    const boris = inGroup(BORIS.id);
    const refused = await boris.person.tap(await ann.seeButton("Cancel"), "Cancel").answered();
    expect(refused.text).toContain(`/image${at}`);
  });

  test("the operator is told once at startup, with what to do about it", async () => {
    service = await startTestService();
    const told = service.lines.filter(({ msg }) => String(msg).includes("privacy mode"));
    expect(told).toHaveLength(1);
    expect(told[0]?.msg).toContain("/setprivacy");
  });
});

test("a bot that reads all messages of its groups suggests mentions and accepts them, and tells the operator nothing", async () => {
  const people = [ANN, BORIS, ADMIN];
  const sandbox = await createSandbox({ token: TOKEN, people, group: { privacy: false } });
  service = await startTestService({ sandbox });
  const ann = inGroup(ANN.id);
  const at = `@${sandbox.bot.username}`;
  ann.say("/help");
  const help = await ann.see("by replying");
  expect(help.text).toContain(`caption with ${at}`);
  expect(help.text).not.toContain("reaches me in a group for sure");
  ann.say(at);
  const hint = await ann.see("What should I make?");
  expect(hint.text).toContain(`/image${at}`);
  ann.say(`${at} a paper boat`);
  await ann.seeButton("✅", "a paper boat");
  expect(service.lines.some(({ msg }) => String(msg).includes("privacy mode"))).toBe(false);
});
