import { afterEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { claimOrder } from "../support/direct-order.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
afterEach(() => service.close());

/** Ann has 3.30 ₽, the cheapest picture costs more: what she is short of would tell what she has. */
async function poorAnn(): Promise<Chatter> {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "3.30" } });
  return inGroup(ANN.id);
}

const inGroup = (id: number) => new Chatter(service.sandbox.person(id), service.sandbox.groupId);

/** Says that it is not enough, where to see what there is and whom to ask, and no sum of either. */
function expectNoSum(text: string | undefined): void {
  expect(text).toContain("balance is too low");
  expect(text).toContain("/balance");
  expect(text).toContain("@atelier_help");
  expect(text).not.toMatch(/6\.70|3\.30|short/);
}

describe("a group never learns what somebody has", () => {
  test("from the card, and the alert of who paid still says what is missing", async () => {
    const ann = await poorAnn();
    ann.say(`@${service.sandbox.bot.username} a paper boat`);
    const card = await ann.seeButton("✅", "a paper boat");
    expectNoSum(card.text);
    const alert = await (await ann.press("✅")).answered();
    expect(alert.text).toContain("6.70 ₽ short");
  });

  test("from the answer to a tap that had to wait", async () => {
    const ann = await poorAnn();
    ann.say(`@${service.sandbox.bot.username} a paper boat`);
    const card = await ann.seeButton("✅", "a paper boat");
    const held = service.sandbox.hold("sendMessage");
    inGroup(BORIS.id).say("/help");
    await held.arrived();
    const label = labelsOf(card).find((one) => one.startsWith("✅")) ?? "";
    const answer = await ann.person.tap(card, label, ann.chat).answered();
    expect(answer.text).toBeUndefined();
    held.release();
    expectNoSum((await ann.see("too low", card.message_id)).text);
  });

  test("from what comes of an order after a restart", async () => {
    const ann = await poorAnn();
    const { id } = ann.person;
    const alone = new Chatter(ann.person);
    alone.say("/start");
    await alone.see("3.30 ₽");
    await service.stopService();
    const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
    await claimOrder(service.database, { userId: id, chatId: ann.chat, request });
    await service.restart();
    expectNoSum((await ann.see("too low")).text);
    await ann.seeButton("✅", "a fox");
    for (const { text } of ann.heard()) expectNoSum(text);
  });

  test("from a correction by an admin", async () => {
    service = await startTestService();
    const boris = new Chatter(service.sandbox.person(BORIS.id));
    boris.say("/start");
    await boris.see("Здравствуйте");
    const { message_id: replyTo } = inGroup(BORIS.id).say("who has some money for me?");
    const vera = inGroup(ADMIN.id);
    vera.say("/credit 7", { replyTo });
    const credited = await vera.see("7 ₽ added to Борис");
    vera.say("/debit 2", { replyTo });
    const debited = await vera.see("2 ₽ taken from Борис");
    vera.say("/debit 5000", { replyTo });
    const refused = await vera.see("Nothing was changed");
    for (const { text } of [credited, debited, refused]) expect(text).not.toMatch(/10[57]/);
    await boris.see("107 ₽");
    expect(service.balanceOf(BORIS.id)).toBe(105);
  });
});

test("a group is told whose each card, status message and result is", async () => {
  service = await startTestService();
  service.provider.holds = true;
  const ann = inGroup(ANN.id);
  ann.say(`@${service.sandbox.bot.username} a paper boat`);
  const card = await ann.seeButton("✅", "a paper boat");
  expect(card.text?.split("\n")[0]).toBe("👤 Ann");
  await ann.press("✅");
  await ann.see(({ message_id, text }) => message_id === card.message_id && / · Ann\n/.test(text ?? ""));
  service.provider.holds = false;
  for (const task of [...service.provider.held]) task.finish();
  const result = await ann.see(({ photo }) => photo !== undefined);
  expect(result.caption).toMatch(/\nAnn · /);
});

test("in a group an answer that cannot be used is asked for again, and each question takes the answer", async () => {
  service = await startTestService();
  const ann = inGroup(ANN.id);
  ann.say("/music");
  await ann.press("Suno V5");
  const first = await ann.see("Reply to this message");
  await ann.press("Description");
  const second = await ann.see("Reply to this message", first.message_id);
  ann.say("oh", { replyTo: first.message_id });
  const again = await ann.see("at least 8 characters", second.message_id);
  expect(again.text).toContain("Reply to this message");
  ann.say("ah", { replyTo: again.message_id });
  const oncemore = await ann.see("at least 8 characters", again.message_id);
  const boris = inGroup(BORIS.id);
  boris.say("a song about somebody else", { replyTo: oncemore.message_id });
  ann.say("a song about a train", { replyTo: oncemore.message_id });
  const card = await ann.seeButton("✅", "a song about a train");
  expect(card.text).not.toContain("somebody else");
});

test("who answers the bot's question in a group and names the bot too is not taken to mean its name", async () => {
  service = await startTestService();
  const ann = inGroup(ANN.id);
  const name = `@${service.sandbox.bot.username}`;
  ann.say(`/video${name}`);
  await ann.press("Veo 3.1");
  const question = await ann.see("Reply to this message");
  ann.say(`${name} a storm at sea`, { replyTo: question.message_id });
  const card = await ann.seeButton("✅", "a storm at sea");
  expect(card.text).toContain("Veo 3.1");
  expect(card.text).not.toContain(name);
});
