import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;

const inGroup = (id: number) => new Chatter(service.sandbox.person(id), service.sandbox.groupId);

/** Commands that a text names without the bot's name. */
function bareCommands(text = ""): string[] {
  return text.match(/(?<![\w/])\/[a-z]+\b(?!@)/g) ?? [];
}

test("in a group with privacy mode the bot suggests commands with its name, which are sure to reach it, and no mentions", async () => {
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

test("a bot that reads all messages of its groups suggests mentions and accepts them", async () => {
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
});

test("a result that its group rejects waits for the payer's next private message, not for one in the group", async () => {
  service = await startTestService();
  const { sandbox, provider } = service;
  const ann = inGroup(ANN.id);
  provider.holds = true;
  ann.say(toBot(service, "/image a quiet harbour"));
  await ann.press("✅", "a quiet harbour");
  await eventually("a task", () => provider.held.length > 0);
  const status = { type: "status", code: 400 } as const;
  for (const method of ["sendPhoto", "sendDocument"]) {
    const description = "Bad Request: not enough rights to send photos to the chat";
    sandbox.faults.add({ method, chat: sandbox.groupId, answer: { ...status, description } });
  }
  const description = "Bad Request: chat not found";
  const unknown = sandbox.faults.add({
    method: "sendPhoto",
    chat: ANN.id,
    answer: { ...status, description },
  });
  provider.held[0]?.finish();
  await ann.see("Send me /start in a private chat");
  expect(unknown.struck).toBe(1);
  ann.say(toBot(service, "/help"));
  await ann.see("How it works");
  const toAnn = sandbox.calls.filter(
    ({ method, params }) => method === "sendPhoto" && params.chat_id === ANN.id,
  );
  expect(toAnn).toHaveLength(1);
  const alone = new Chatter(sandbox.person(ANN.id));
  alone.say("/start");
  await alone.seePhoto();
});
