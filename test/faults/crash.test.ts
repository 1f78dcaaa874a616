import type { Sandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { openAdmin } from "../support/accounts.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { newFolder } from "../support/new-folder.js";
import { ANN, startSandbox, TOKEN } from "../support/service.js";

/** Fewer moments than this would not be the promised test. */
const MOMENTS_MIN = 26;
/** A kill in the making of a picture: `upstream-crash.test.ts` has those. */
const IN_THE_MAKING = /^(?:job|media):/;
const PRICE_RUB = 10;
const TIMEOUT_MS = 240_000;

let sandbox: Sandbox;
const directory = newFolder();

function startService(): ChildService {
  return new ChildService({
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: directory,
    WELCOME_CREDIT_RUB: "10000",
  });
}

const MODEL = "🎨 Model";

/** A card with two pictures, ready to be paid. */
async function composeCard(ann: Chatter, prompt: string) {
  const { message_id: last } = ann.say("/image");
  // An older card may still be there for a moment.
  const opened = await ann.see((message) => labelsOf(message).includes(MODEL), last);
  ann.person.tap(opened, MODEL);
  await ann.press("Nano Banana 2 Lite");
  const see = (label: RegExp) => ann.see((message) => labelsOf(message).some((one) => label.test(one)), last);
  // Each order begins with one picture.
  await see(/^Images: 1/);
  await ann.press(/^Images: 1/);
  await ann.press(/^(• )?2 · /);
  await see(/^Images: 2/);
  ann.say(prompt);
  return ann.seeButton(`✅ Generate · ${PRICE_RUB}\u00a0₽`, prompt);
}

/**
 * Waits until both pictures of a prompt and the words behind them are there, and the status message is deleted:
 * the card itself, or the one that stands for it behind a crash before the bot knew its message.
 */
async function delivered(ann: Chatter, prompt: string, card: number) {
  await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes(prompt) === true);
  await ann.see((message) => labelsOf(message).some((label) => label.includes("As files")), card);
  await sandbox.waitForCall("deleteMessage", ({ params }) => Number(params.message_id) >= card);
}

test(
  "a service killed at any moment between the pay tap and the delivered album charges once and delivers",
  async () => {
    sandbox = await startSandbox();
    const ann = new Chatter(sandbox.person(ANN.id));
    let service = startService();
    await service.ready();
    ann.say("/start");

    // One order without a crash shows which moments there are.
    const trial = await composeCard(ann, "a barn in the snow, number 0.");
    await service.arm(0);
    await (await ann.press("✅", "a barn in the snow, number 0.")).answered();
    await delivered(ann, "a barn in the snow, number 0.", trial.message_id);
    await service.passed("commit:after:final-status");
    const lastOfOrder = service.failPoints.findLastIndex((name) => name.includes("final-status"));
    const moments = service.failPoints
      .slice(0, lastOfOrder + 1)
      .flatMap((name, index) => (IN_THE_MAKING.test(name) ? [] : [index + 1]));
    expect(moments.length).toBeGreaterThanOrEqual(MOMENTS_MIN);

    const written = new Set<number>();
    for (const moment of moments) {
      const prompt = `a barn in the snow, number ${moment}.`;
      const card = await composeCard(ann, prompt);
      await service.arm(moment);
      const label = labelsOf(card).find((one) => one.startsWith("✅")) ?? "";
      ann.person.tap(card, label);
      expect(await service.ended, `killed at fail point ${moment}`).toBe("SIGKILL");
      if (service.failPoints.includes("commit:after:delivery-files")) written.add(moment);
      service = startService();
      await service.ready();
      await delivered(ann, prompt, card.message_id);
      await sandbox.waitForPoller();
    }

    const admin = openAdmin(directory);
    expect(admin.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
    expect(admin.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(moments.length + 1);
    expect(admin.account(1).balance / 100).toBe(10_000 - (moments.length + 1) * PRICE_RUB);
    await service.kill();
    expect(written.size).toBeGreaterThan(0);
    for (const number of [0, ...moments]) {
      const albums = ann
        .photos()
        .filter(({ caption }) => caption?.includes(`a barn in the snow, number ${number}.`)).length;
      // A crash between sending and writing may repeat an album, never more than once, and one after it never.
      expect(albums).toBeGreaterThanOrEqual(1);
      expect(albums).toBeLessThanOrEqual(written.has(number) ? 1 : 2);
    }
  },
  TIMEOUT_MS,
);
