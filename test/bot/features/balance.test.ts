import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { StatementEntry } from "../../../src/accounts/statement-store.js";
import { entryHtml, statementFile, textCell } from "../../../src/bot/features/balance.js";
import { asKopecks } from "../../../src/contract/price.js";
import { integer } from "../../../src/platform/integer.js";
import { ANN, BORIS, IN_GROUP, openBotHarness } from "../../support/bot-harness.js";
import { money, t, texts } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";
import fc from "../../support/fast-check.js";

const AT = integer(Date.UTC(2026, 10, 24, 11, 5));
const VEO = {
  type: "video",
  title: "Veo 3.1",
  durationSec: 8,
  count: 1,
  isByApi: false,
  isOpen: false,
} as const;

function entry(id: number, change: Partial<StatementEntry> = {}): StatementEntry {
  const sums = { amount: asKopecks(-66_00), balance_after: asKopecks(100_00) };
  const order = { ...VEO, returnedKopecks: asKopecks(0) };
  return { id, created_at: AT, kind: "charge", ...sums, cause: null, note: null, order, ...change };
}

/** The bot with credits of one ruble in Ann's account. */
async function openWith(credits: number) {
  const bot = openBotHarness();
  const { users } = bot.managed;
  await users.idOf({ id: ANN.id, name: "Ann" });
  const terms = { userId: ANN.id, kopecks: asKopecks(100), reason: null, actor: "test" };
  for (let n = 1; n <= credits; n += 1) await users.credit({ ...terms, idempotencyKey: `test:${n}` });
  return bot;
}

const returned = { ...VEO, returnedKopecks: asKopecks(66_00) };
const some = { ...VEO, count: 4, returnedKopecks: asKopecks(33_00) };
const credit = { kind: "credit", amount: asKopecks(500_00), order: null } as const;

describe("/balance", () => {
  test.each([
    ["Veo 3.1, 8\u00a0s · −66\u00a0₽ · refunded", { order: returned }],
    ["Veo 3.1, 8\u00a0s ×4 · −66\u00a0₽ · 33\u00a0₽ refunded", { order: some }],
    [
      "Veo 3.1, 8\u00a0s (API) · −66\u00a0₽ · being made",
      { order: { ...returned, returnedKopecks: asKopecks(0), isByApi: true, isOpen: true } },
    ],
    ["Refund: Veo 3.1, 8\u00a0s · +66\u00a0₽", { kind: "refund", amount: asKopecks(66_00) }],
    [
      "Veo 3.1 (demo), 8\u00a0s · −66\u00a0₽",
      { order: { ...VEO, returnedKopecks: asKopecks(0), title: "Veo 3.1 (local preview)" } },
    ],
    ["Refund · +66\u00a0₽", { kind: "refund", amount: asKopecks(66_00), order: null }],
    ["Welcome gift · +500\u00a0₽", { ...credit, cause: "welcome" }],
    ["Added · +500\u00a0₽", { ...credit, cause: "of a later version" }],
    ["Added: &lt;b&gt;for you · +500\u00a0₽", { ...credit, note: "<b>for\nyou" }],
  ] as const)("says in plain words: %s", (words, change) => {
    const time = '<tg-time unix="1795518300" format="dt">Nov 24, 2026, 11:05 AM UTC</tg-time>';
    expect(entryHtml(entry(1, change), texts.in("en"))).toBe(`${time}\n${words}`);
  });

  test("shows ten entries and the month, and turns pages by taps", async () => {
    const { say, said, tap, buttons, telegram } = await openWith(12);
    await say("/balance");
    expect(String(said()[0]).match(/<tg-time/g)).toHaveLength(10);
    expect(said()[0]).toContain("added 12\u00a0₽");
    expect(buttons().get("Older ›")).toBe(`bs:${ANN.id}:o:3`);
    await tap(buttons().get("Older ›") ?? "");
    const page = telegram.payloadsOf("editMessageText").at(-1);
    expect(String(page?.text).match(/<tg-time/g)).toHaveLength(2);
    expect(String(page?.text)).toContain("Your balance");
  });

  test("begins the sums of the month with a capital in Russian too", async () => {
    const { say, said } = await openWith(1);
    await say("/balance", { ...ANN, language_code: "ru" });
    expect(said()[0]).toContain("Январь 2026");
  });

  test("gives nobody the buttons of another person, takes no forged ones, and sends the entries as a file", async () => {
    const { say, tap, answered, telegram } = await openWith(1);
    await say("/balance");
    await tap(`bs:${ANN.id}:f`, undefined, BORIS);
    await tap(`bs:${ANN.id}:o:2`, undefined, ANN, IN_GROUP);
    for (const data of [`bs:${ANN.id}:o:-1`, "bs:x:f", `bs:${ANN.id}:f:1`, `bs:${ANN.id}:o:1e9`])
      await tap(data);
    expect(telegram.payloadsOf("sendDocument")).toEqual([]);
    expect(telegram.payloadsOf("editMessageText")).toEqual([]);
    for (const words of answered().slice(0, 2)) expect(words).toContain("belong to somebody else");
    await tap(`bs:${ANN.id}:f`);
    expect(telegram.payloadsOf("sendDocument")).toHaveLength(1);
  });
});

test.each([
  ["", undefined, "balance-now", true],
  [" of all", sharedAccount(), "balance-now-shared", true],
  ["; admins elsewhere have no use for the id", connectedAccounts(), "balance-now", false],
])("/balance shows the balance%s, and whom to ask for more", async (_which, accounts, key, hasId) => {
  const { say, said } = openBotHarness(accounts && { accounts });
  await say("/balance");
  const now = t(key, { balance: money(500_00) });
  const id = hasId ? [t("id-person", { id: String(ANN.id) })] : [];
  expect(said()).toEqual([[now, ...id, t("money-ask", { contact: "@help" })].join("\n")]);
});

test("/balance in a group names no sum, and where it is told", async () => {
  const { say, said } = openBotHarness();
  await say("/balance@atelier_bot", ANN, IN_GROUP);
  expect(said()).toEqual([t("balance-private-only")]);
});

describe("the file of a statement", () => {
  async function* chunks(entries: readonly StatementEntry[]) {
    yield entries;
  }
  const fileOf = async (code: string, entries: readonly StatementEntry[]) =>
    (await buffer(statementFile(chunks(entries), texts.in(code)))).toString();

  test.each([
    [
      "en",
      '"Time (UTC)","What","Sum, ₽","Outcome","Balance, ₽"\r\n' +
        '2026-11-24 11:05:00,"Veo 3.1, 8\u00a0s",-66.00,"refunded",100.00\r\n',
    ],
    [
      "ru",
      '"Время (UTC)";"Что";"Сумма, ₽";"Итог";"Баланс, ₽"\r\n' +
        '2026-11-24 11:05:00;"Veo 3.1, 8\u00a0с";-66,00;"возвращено";100,00\r\n',
    ],
  ])("has in %s the separators that spreadsheets expect, in UTF-8 with its mark", async (code, lines) => {
    expect(await fileOf(code, [entry(1, { order: returned })])).toBe(`\ufeff${lines}`);
  });

  test.each(["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "＝1", "'=1", '"=1'])(
    "defuses the formula %j",
    (text) => expect(textCell(text).slice(0, 2)).toBe(`"'`),
  );

  test("keeps every text in one cell", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const cell = textCell(text);
        expect(cell.slice(1, -1).replaceAll('""', "")).not.toContain('"');
        expect(cell.slice(1, -1).replaceAll('""', '"').replace(/^'/, "")).toBe(text.replace(/^'/, ""));
      }),
    );
  });
});
