import { beforeEach, describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

const chatter = (id: number) => new Chatter(service.sandbox.person(id));

const LANGUAGES = [
  {
    id: ANN.id,
    name: "English",
    size: "Quality",
    generate: "Generate",
    left: "balance",
    again: "Adjust",
  },
  {
    id: BORIS.id,
    name: "Russian",
    size: "Качество",
    generate: "Создать",
    left: "баланс",
    again: "Повторить иначе",
  },
];

describe("from a chat message to a finished picture", () => {
  test.each(LANGUAGES)("in $name", async ({ id, size, generate, left, again }) => {
    const one = chatter(id);
    one.say("/start");
    await one.see("100\u00a0₽");
    one.say("/image");
    await one.press(new RegExp(`^${size}`));
    await one.press("2K");
    const card = await one.seeButton(`${size}: 2K`);
    expect(labelsOf(card).some((label) => label.startsWith("✅"))).toBe(false);
    one.say("a fox & <b>snow</b>");
    const pay = await one.press(`✅ ${generate} · 15\u00a0₽`);
    expect((await pay.answered()).text).toBeTruthy();
    const photo = await one.seePhoto();
    expect(photo.caption).toContain("a fox & <b>snow</b>");
    expect(photo.caption).toContain("Nano Banana 2.1 · 15\u00a0₽");
    expect(photo.caption).toContain(`85\u00a0₽`);
    expect(photo.caption).toContain(left);
    expect(labelsOf(photo)).toContain(`⚙️ ${again}`);
    expect(service.balanceOf(id)).toBe(85);
    expect(service.provider.tasks).toHaveLength(1);
    expect(service.provider.tasks[0]?.request).toMatchObject({
      resolution: "2K",
      prompt: "a fox & <b>snow</b>",
    });
    expect(service.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
    one.say("/balance");
    const { entities = [] } = await one.see(/−15\u00a0₽/);
    expect(entities.filter(({ type }) => type === "date_time")).toHaveLength(2);
  });

  test("a failed job shows the reason and the refund", async () => {
    service.provider.make = async () => {
      throw new GenerationError("timeout", "took too long");
    };
    const ann = chatter(ANN.id);
    ann.say("a maze");
    await ann.press("✅");
    const told = await ann.see("money is back");
    expect(told.text).toContain("too long");
    expect(told.text).toContain("10\u00a0₽");
    await ann.see("❌");
    expect(service.balanceOf(ANN.id)).toBe(100);
  });

  test("without money the card says what is missing and whom to ask, and keeps the draft", async () => {
    const ann = chatter(ANN.id);
    ann.say("a palace");
    await ann.seeButton("✅ Generate · 10\u00a0₽");
    const account = service.adminService.accounts()[0];
    await service.adminService.debit(account?.id ?? 0, asKopecks(9700), null);
    const tap = await ann.press("✅ Generate · 10\u00a0₽");
    const answer = await tap.answered();
    expect(answer.text).toContain("7\u00a0₽");
    expect(answer.text).toContain("@atelier_help");
    expect(answer.show_alert).toBe(true);
    const short = await ann.seeButton("💬 @atelier_help", "7\u00a0₽");
    expect(labelsOf(short).join()).not.toContain("✅");
    expect(service.provider.tasks).toHaveLength(0);

    const vera = chatter(ADMIN.id);
    vera.say(`/credit @ann 50 for the party`);
    await vera.see("53\u00a0₽");
    const told = await ann.see("for the party");
    expect(told.text).toContain("50\u00a0₽");
    ann.person.tap(told, "Go on");
    await ann.press("✅ Generate · 10\u00a0₽", "Balance: 53\u00a0₽");
    await ann.seePhoto();
    expect(service.balanceOf(ANN.id)).toBe(43);
  });
});
