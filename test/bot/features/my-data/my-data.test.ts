import { InputFile } from "grammy";
import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness } from "../../../support/bot-harness.js";
import { texts } from "../../../support/drafts.js";
import { sharedAccount } from "../../../support/fake-accounts.js";

const { t } = texts.in("en");

test("/settings offers the languages and a person's data", async () => {
  const { say, buttons } = openBotHarness();
  await say("/settings");
  expect([...buttons().keys()]).toEqual(["• English", "Русский", t("settings-news-on"), t("button-my-data")]);
});

test("where accounts are elsewhere nobody's data are here", async () => {
  const { say, buttons } = openBotHarness({ accounts: sharedAccount() });
  await say("/settings");
  expect([...buttons().keys()]).not.toContain(t("button-my-data"));
});

test("a person gets one file with what the bot and the core store", async () => {
  const { say, tap, buttons, telegram } = openBotHarness();
  await say("/start");
  await say(`/credit ${ANN.id} 5`, { ...ANN, id: ADMIN_ID });
  await say("/image");
  await say("an otter in a bath");
  await say("/settings");
  await tap(buttons().get(t("button-my-data")) ?? "");
  await tap(buttons().get(t("button-my-data-export")) ?? "");
  const [{ document, caption } = { document: undefined, caption: undefined }] =
    telegram.payloadsOf("sendDocument");
  expect(caption).toBe(t("my-data-file"));
  expect(document).toBeInstanceOf(InputFile);
  const raw = (document as InputFile).toRaw() as unknown;
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await raw) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const data = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown[]>;
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
  expect(personalData.isErasureAsked(ANN.id)).toBe(false);
  const forget = buttons().get(t("button-my-data-forget-all")) ?? "";
  await tap(forget);
  await tap(forget);
  expect(personalData.isErasureAsked(ANN.id)).toBe(true);
  expect(audit.list({ limit: 9 })).toHaveLength(1);
  expect(said().at(-1)).toBe(t("my-data-forget-begun"));
});

test("an admin's data are an admin's own: the button is of whoever taps it", async () => {
  const { say, tap, managed } = openBotHarness();
  for (const id of [ANN.id, ADMIN_ID]) await say("/start", { ...ANN, id });
  await tap("md:f", undefined, { ...ANN, id: ADMIN_ID });
  const { personalData } = managed;
  expect([ADMIN_ID, ANN.id].map((id) => personalData.isErasureAsked(id))).toEqual([true, false]);
});
