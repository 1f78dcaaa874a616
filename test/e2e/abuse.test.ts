import { beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

describe("what people and bad luck try", () => {
  beforeEach(async () => {
    service = await startTestService();
  });

  test("a card whose edit was lost is drawn again by the next tap", async () => {
    const ann = chatter(ANN.id);
    ann.say("a mill");
    const card = await ann.seeButton("✅");
    service.sandbox.faults.add({ method: "editMessageText", answer: { type: "429", retryAfter: 40 } });
    await ann.person.tap(card, "Quality: 1K").answered();
    await service.sandbox.waitForCall("editMessageText", ({ status }) => status === 429);
    const stale = labelsOf(card).find((label) => label.startsWith("✅")) ?? "";
    await ann.person.tap(card, stale).answered();
    await ann.seeButton(/^• 1K · /);
    expect(service.balanceOf(ANN.id)).toBe(100);
  });

  test("a status edit that hangs keeps no delivery waiting", async () => {
    const ann = chatter(ANN.id);
    const held = service.sandbox.hold("editMessageText", ({ params }) => !("reply_markup" in params));
    for (const prompt of ["a red boat", "a blue boat"]) {
      ann.say(prompt);
      await ann.press("✅", prompt);
      await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes(prompt) === true);
    }
    held.release();
    const isStatus = ({ text = "" }: { text?: string }) => /Sent…|queue…|Generating…/.test(text);
    await eventually("the statuses are gone", async () => !ann.heard().some(isStatus));
  });

  test("whoever floods a group fills only their own share: the tap of another there is paid", async () => {
    const { groupId } = service.sandbox;
    const ann = chatter(ANN.id, groupId);
    const boris = chatter(BORIS.id, groupId);
    await beginImageInGroup(service, ann, "a mill");
    const held = service.sandbox.hold("sendMessage");
    for (let turn = 0; turn < 120; turn += 1) boris.say(toBot(service, "/help"));
    await held.arrived();
    const dropped = () => service.lines.filter(({ msg }) => String(msg).includes("floods")).length;
    await eventually("the flood", () => dropped() === 20);
    const tap = await ann.press("✅");
    await tap.answered();
    held.release();
    await ann.see(({ photo }) => photo !== undefined);
    expect([service.balanceOf(ANN.id), dropped()]).toEqual([90, 20]);
  });
});
