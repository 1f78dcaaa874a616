import { beforeEach, describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

const chatter = (id: number) => new Chatter(service.sandbox.person(id));

function alwaysAskToWait(method: string): void {
  const answer = { type: "429", retryAfter: 20 } as const;
  service.sandbox.faults.add({ method, times: Number.POSITIVE_INFINITY, answer });
}

describe("when Telegram", () => {
  test("breaks the connection after it has taken the files, nothing is lost and nothing charged twice", async () => {
    service.sandbox.faults.add({ method: "sendPhoto", answer: { type: "reset", when: "after" } });
    const ann = chatter(ANN.id);
    ann.say("a ferry");
    await ann.press("✅");
    await eventually("the end", async () => service.lines.some(({ msg }) => msg === "order delivered"));
    expect(ann.photos().length).toBeGreaterThanOrEqual(1);
    expect(service.balanceOf(ANN.id)).toBe(90);
  });

  test("reports an unmodified message or an expired query, the person sees no error", async () => {
    const { faults } = service.sandbox;
    const tooOld = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    faults.add({
      method: "answerCallbackQuery",
      times: 3,
      answer: { type: "status", code: 400, description: tooOld },
    });
    const same =
      "Bad Request: message is not modified: specified new message content and reply markup are exactly the same";
    const ann = chatter(ANN.id);
    ann.say("/image");
    await ann.seeButton("⚙️ More");
    faults.add({ method: "editMessageText", answer: { type: "status", code: 400, description: same } });
    await ann.press("⚙️ More");
    ann.say("a ferry");
    await ann.press("✅");
    await ann.see(({ photo }) => photo !== undefined);
    expect(service.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test("no longer accepts the answer to a tap, the reason for not charging is sent as a message", async () => {
    const ann = chatter(ANN.id);
    ann.say("a palace");
    await ann.seeButton("✅ Generate · 10\u00a0₽");
    await service.adminService.debit(service.adminService.accounts()[0]?.id ?? 0, asKopecks(9700), null);
    service.sandbox.faults.add({
      method: "answerCallbackQuery",
      answer: { type: "status", code: 400, description: "Bad Request: query is too old" },
    });
    await ann.press("✅ Generate · 10\u00a0₽");
    const words = await ann.see(
      ({ text }) => text?.includes("7\u00a0₽") === true && !text.includes("palace"),
    );
    expect(words.text).toContain("@atelier_help");
    expect(service.provider.tasks).toHaveLength(0);
  });

  test("asks to wait while the service stops, the next start answers the interrupted update", async () => {
    alwaysAskToWait("sendMessage");
    const ann = chatter(ANN.id);
    ann.say("/help");
    await service.sandbox.waitForCall("sendMessage");
    await service.stopService();
    expect(ann.heard()).toHaveLength(0);
    service.sandbox.faults.clear();
    await service.restart();
    await ann.see("How it works");
    expect(service.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test("leaves the answers to a hundred people hanging, others are answered first, then these", async () => {
    const { sandbox } = service;
    const crowd = Array.from({ length: 100 }, (_, at) => {
      const id = 5000 + at;
      sandbox.addPerson({ id, first_name: `P${at}`, language_code: "en" });
      return chatter(id);
    });
    const hold = sandbox.hold("sendMessage", ({ params }) => Number(params.chat_id) >= 5000);
    for (const one of crowd) one.say("/help");
    await eventually("a hundred calls", async () => hold.waiting === crowd.length);
    const ann = chatter(ANN.id);
    ann.say("/balance");
    await ann.see("100\u00a0₽");
    ann.say("/cancel");
    await ann.see("nothing to cancel");
    hold.release();
    for (const one of crowd) await one.see("How it works");
  });
});
