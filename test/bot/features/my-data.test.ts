import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { erasures, jsonDocument } from "../../../src/bot/features/my-data.js";
import { isManaged } from "../../../src/bot/modules.js";
import { ANN, BORIS, MAX, openBotHarness } from "../../support/bot-harness.js";
import { refusal } from "../../support/bot-world.js";
import { deliveredOrder, openDesk } from "../../support/desk-world.js";
import { t, texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { sharedAccount } from "../../support/fake-accounts.js";

test("/settings offers its person the languages, and their data where they are here", async () => {
  const here = openBotHarness();
  await here.say("/settings");
  expect(here.labels()).toEqual(["• English", "Русский", t("settings-news-on"), t("button-my-data")]);
  await here.tap(here.buttons().get("Русский") ?? "", undefined, BORIS);
  expect(here.answered()).toEqual([t("tap-not-yours", { atBot: "" })]);
  expect(here.parts.people.find(BORIS.id)?.locale).toBe("en");
  const elsewhere = openBotHarness({ accounts: sharedAccount() });
  await elsewhere.say("/settings");
  expect(elsewhere.labels()).not.toContain(t("button-my-data"));
});

test.each([true, false])(
  "a language holds from its tap on, for the open card too (drawn anew: %s)",
  async (isDrawn) => {
    const russian = texts.in("ru");
    const { say, tap, buttons, labels, said, telegram, card, ...world } = openBotHarness();
    await say("a fox");
    const { messageId } = card();
    await say("/language");
    if (!isDrawn)
      telegram.refuse(
        "editMessageText",
        refusal(400, "not this time"),
        ({ message_id }) => message_id === messageId,
      );
    await tap(buttons().get("Русский") ?? "");
    expect(said()).toContain(russian.t("language-chosen"));
    const edited = telegram.payloadsOf("editMessageText").map(({ message_id }) => message_id);
    expect(edited).toContain(messageId);
    if (isDrawn) expect(labels().at(-1)).toMatch(/^✅ Создать/);
    const next = openBotHarness({ world });
    next.telegram.lastId = telegram.lastId;
    await next.say("/cancel");
    expect(next.said().at(-1)).toBe(russian.t("cancelled"));
  },
);

test("a person gets one file with what the bot and the core store", async () => {
  const { say, tap, buttons, telegram } = openBotHarness();
  telegram.readsUploads = true;
  await say("/start");
  await say(`/credit ${ANN.id} 5`, MAX);
  await say("/image");
  await say("an otter in a bath");
  await say("/settings");
  await tap(buttons().get(t("button-my-data")) ?? "");
  await tap(buttons().get(t("button-my-data-export")) ?? "");
  expect(telegram.payloadsOf("sendDocument")).toMatchObject([{ caption: t("my-data-file") }]);
  const data = JSON.parse(telegram.uploads.at(-1)?.content ?? "");
  expect(data.person).toMatchObject([{ telegram_id: ANN.id, name: "Ann" }]);
  expect(data.entries).toMatchObject([{ amount_rub: 5 }]);
  expect(data.drafts).toMatchObject([{ parameters: { prompt: "an otter in a bath" } }]);
});

test("forgetting is asked about once more with the balance, and stored once for two taps", async () => {
  const { say, tap, buttons, said, managed } = openBotHarness();
  await say("/settings");
  await tap(buttons().get(t("button-my-data")) ?? "");
  await tap(buttons().get(t("button-my-data-forget")) ?? "");
  expect(said().at(-1)).toContain("500");
  const { personalData, audit } = managed;
  expect(personalData.toErase()).toEqual([]);
  const forget = buttons().get(t("button-my-data-forget-all")) ?? "";
  await tap(forget);
  await tap(forget);
  expect(personalData.toErase()).toEqual([ANN.id]);
  expect(audit.list({ limit: 9 })).toHaveLength(1);
  expect(said().at(-1)).toBe(t("my-data-forget-begun"));
});

test("an order that was placed while its person was erased is erased too, and only then they are told", async () => {
  const desk = openDesk();
  await desk.say("/start");
  await deliveredOrder(desk);
  const bot = desk.parts;
  if (!isManaged(bot)) throw new Error("the accounts are elsewhere");
  const { personalData } = bot.accounts;
  await personalData.askToErase(ANN.id, "telegram:7");
  const erase = personalData.erase.bind(personalData);
  vi.spyOn(personalData, "erase").mockImplementationOnce(async (...given) => {
    await erase(...given);
    await desk.sentOrder("late", ANN.id, [99]);
  });
  const runs = erasures(bot);
  runs.start();
  await eventually("the first pass", () => desk.orders.find("late") !== undefined);
  await desk.core.clock.advance(10_000);
  expect(personalData.toErase()).toEqual([ANN.id]);
  expect(desk.toldTo(ANN.id)).not.toContain(t("my-data-forgotten"));
  await desk.orders.endDelivery("late", "sent", "sent", true);
  await eventually("the second pass", async () => {
    await desk.core.clock.advance(5000);
    return personalData.toErase().length === 0;
  });
  await runs.stop();
  expect(desk.orders.find("late")).toMatchObject({ userName: "" });
  expect(desk.toldTo(ANN.id)).toContain(t("my-data-forgotten"));
});

const textOf = (sections: Parameters<typeof jsonDocument>[0], bytesMax = 1e9) =>
  text(jsonDocument(sections, bytesMax));

test("a document is whole JSON of what its sections have, stays below its limit, and says that it was cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" }), { maxLength: 50 }),
      fc.nat(2000),
      async (words, limit) => {
        const sections = [
          { name: "a", rows: words.map((word) => ({ word })) },
          { name: "b", rows: [{ word: "last" }] },
        ];
        const bytesMax = 200 + limit;
        const written = await textOf(sections, bytesMax);
        const parsed = JSON.parse(written) as Record<string, unknown>;
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(bytesMax);
        const whole = Object.fromEntries(sections.map(({ name, rows }) => [name, rows]));
        if (parsed.cut !== true) expect(parsed).toEqual(whole);
        expect(JSON.parse(await textOf(sections)), "without a limit").toEqual(whole);
      },
    ),
  );
  expect(JSON.parse(await textOf([])), "no section").toEqual({});
});

test("a large document comes in pieces, and reads rows only as it is taken", async () => {
  let read = 0;
  function* rows() {
    for (; read < 10_000; read += 1) yield { text: "x".repeat(100) };
  }
  const pieces = jsonDocument([{ name: "rows", rows: rows() }], 1e9);
  await pieces.next();
  expect(read).toBeLessThan(1000);
});
