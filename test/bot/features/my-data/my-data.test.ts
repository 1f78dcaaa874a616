import { InputFile } from "grammy";
import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness } from "../../../support/bot-harness.js";
import { texts } from "../../../support/drafts.js";
import { managedAccounts, noPersonalData, sharedAccount } from "../../../support/fake-accounts.js";

const { t } = texts.in("en");

function openSettings(change: Parameters<typeof noPersonalData>[0] = {}) {
  const asked: unknown[] = [];
  const personalData = noPersonalData({
    askToErase: async (...args) => {
      asked.push(args);
      return asked.length === 1;
    },
    ...change,
  });
  return { asked, ...openBotHarness({ accounts: managedAccounts({ personalData }) }) };
}

test("/settings offers the languages and a person's data", async () => {
  const { say, buttons } = openSettings();
  await say("/settings");
  expect([...buttons().keys()]).toEqual(["• English", "Русский", t("button-news"), t("button-my-data")]);
});

test("where accounts are elsewhere nobody's data are here, and the button of an old message does nothing", async () => {
  const { say, tap, buttons, calls } = openBotHarness({ accounts: sharedAccount() });
  await say("/settings");
  expect([...buttons().keys()]).not.toContain(t("button-my-data"));
  await tap("md:f");
  expect(calls.map(({ method }) => method)).not.toContain("sendDocument");
});

test("a person gets one file with what the bot and the core store", async () => {
  const { say, tap, buttons, telegram } = openSettings({
    sections: () => [{ name: "entries", rows: [{ amount_rub: 5 }] }],
  });
  await say("/image");
  await say("an otter in a bath");
  await say("/settings");
  await tap(buttons().get(t("button-my-data")) ?? "");
  await tap(buttons().get(t("button-my-data-export")) ?? "");
  const [{ document } = { document: undefined }] = telegram.payloadsOf("sendDocument");
  expect(document).toBeInstanceOf(InputFile);
  const raw = (document as InputFile).toRaw() as unknown;
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await raw) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const data = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown[]>;
  expect(data.person).toMatchObject([{ telegram_id: ANN.id, name: "Ann" }]);
  expect(data.entries).toEqual([{ amount_rub: 5 }]);
  expect(data.drafts).toMatchObject([{ parameters: { prompt: "an otter in a bath" } }]);
});

test("forgetting is asked about once more with the balance, and stored once for two taps", async () => {
  const { say, tap, buttons, said, asked } = openSettings();
  await say("/settings");
  await tap(buttons().get(t("button-my-data")) ?? "");
  await tap(buttons().get(t("button-my-data-forget")) ?? "");
  expect(said().at(-1)).toContain("500");
  expect(asked).toEqual([]);
  const forget = buttons().get(t("button-my-data-forget-all")) ?? "";
  await tap(forget);
  await tap(forget);
  expect(asked[0]).toEqual([ANN.id, `telegram:${ANN.id}`]);
  expect(said().at(-1)).toBe(t("my-data-forget-begun"));
});

test("an admin's data are an admin's own: the button is of whoever taps it", async () => {
  const { tap, asked } = openSettings();
  await tap("md:f", undefined, { ...ANN, id: ADMIN_ID });
  expect(asked).toEqual([[ADMIN_ID, `telegram:${ADMIN_ID}`]]);
});
