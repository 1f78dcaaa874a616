import { createSandbox } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import { describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;

/** Ann's card was drawn with the money for it, of which 3.30\u00a0₽ is left: what she is short of would tell that. */
async function pooredAnn(): Promise<{ ann: Chatter; card: TelegramMessage }> {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "10" } });
  const ann = inGroup(ANN.id);
  const card = await beginImageInGroup(service, ann, "a paper boat");
  await service.adminService.debit(service.adminService.accounts()[0]?.id ?? 0, asKopecks(670), null);
  return { ann, card };
}

const inGroup = (id: number) => new Chatter(service.sandbox.person(id), service.sandbox.groupId);

const SUMS = /6\.70|3\.30|short/;

/** Says that it is not enough, where to see what there is and whom to ask, and no sum of either. */
function expectNoSum(text: string | undefined): void {
  expect(text).toContain("balance is too low");
  expect(text).toContain("/balance");
  expect(text).toContain("@atelier_help");
  expect(text).not.toMatch(SUMS);
}

describe("a group never sees a person's balance", () => {
  test("on the card, while the payer's alert still says what is missing", async () => {
    const { ann } = await pooredAnn();
    const alert = await (await ann.press("✅")).answered();
    expect(alert.text).toContain("6.70\u00a0₽ short");
    const card = await ann.seeButton("💬 @atelier_help", "a paper boat");
    expectNoSum(card.text);
    expect(labelsOf(card).join()).not.toMatch(/✅|⬇️/u);
  });

  test("in the answer to a tap that had to wait", async () => {
    const { ann, card } = await pooredAnn();
    const held = service.sandbox.hold("sendMessage");
    inGroup(BORIS.id).say(toBot(service, "/help"));
    await held.arrived();
    const label = labelsOf(card).find((one) => one.startsWith("✅")) ?? "";
    const answer = await ann.person.tap(card, label, ann.chat).answered();
    expect(answer.text).toBeUndefined();
    held.release();
    expectNoSum((await ann.see("too low", card.message_id)).text);
  });
});

test("a mention of the bot in an answer to its question in a group is not part of the answer", async () => {
  service = await startTestService();
  const ann = inGroup(ANN.id);
  const name = `@${service.sandbox.bot.username}`;
  ann.say(`/video${name}`);
  const question = await ann.see("Reply to this message");
  ann.say(`${name} a storm at sea`, { replyTo: question.message_id });
  const card = await ann.seeButton("✅", "a storm at sea");
  expect(card.text).toContain("Veo 3.1");
  expect(card.text).not.toContain(name);
});

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

  test("no balance command, since the balance is shown in the private chat", async () => {
    service = await startTestService();
    const ann = inGroup(ANN.id);
    for (const command of ["/start", "/help", "/balance"]) ann.say(toBot(service, command));
    const { text } = await ann.see("for your eyes only");
    expect(bareCommands(text)).toEqual(["/balance"]);
    expect(ann.heard().some(({ text: words }) => words?.includes("100\u00a0₽"))).toBe(false);
  });

  test("the operator is told once at startup, with what to do about it", async () => {
    service = await startTestService();
    const told = service.lines.filter(({ msg }) => String(msg).includes("privacy mode"));
    expect(told).toHaveLength(1);
    expect(told[0]?.msg).toContain("/setprivacy");
  });
});

describe("a bot that reads all messages of its groups", () => {
  test("suggests mentions and accepts them, and tells the operator nothing", async () => {
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
});
