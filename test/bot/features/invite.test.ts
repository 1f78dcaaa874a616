import { expect, test } from "vitest";
import { addDebt } from "../../../src/accounts/ledger-store.js";
import { inviteTeller } from "../../../src/bot/features/invite.js";
import { isManaged } from "../../../src/bot/modules.js";
import { asKopecks } from "../../../src/contract/price.js";
import { HOUR_MS, MINUTE_MS } from "../../../src/platform/units.js";
import { ANN, BORIS, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { money, t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

const SUMS = { inviterKopecks: asKopecks(30_00), invitedKopecks: asKopecks(50_00) };
const ARGUMENTS = { yours: money(30_00), theirs: money(50_00), least: money(50_00), max: 10 };

const open = () => openBotHarness({ settings: { inviteSums: SUMS } });
type Bot = ReturnType<typeof open>;

/** Lets a person invite another one. Returns the code. */
async function invite(
  { say, said, clock }: Bot,
  inviter = ANN,
  invited: typeof ANN = BORIS,
): Promise<string> {
  await say("/invite", inviter);
  const [, code = ""] = /start=i_([\w-]+)/.exec(String(said().at(-1))) ?? [];
  await say(`/start i_${code}`, invited, { date: Math.floor(clock.now() / 1000) });
  return code;
}

/** A person pays as much as brings the sums. */
async function topUp({ managed: { payments }, clock }: Bot, userId = BORIS.id): Promise<void> {
  const terms = { till: "stars", userId, price: 50 };
  const { ref } = await payments.openInvoice({ ...terms, kopecks: asKopecks(50_00) });
  await payments.take({ ...terms, chargeId: `${userId}`, paidAt: clock.now(), invoiceRef: ref });
}

test("/invite gives a link with the terms, in the private chat alone, and /invites lists who came", async () => {
  const bot = open();
  const { say, said } = bot;
  const code = await invite(bot);
  await topUp(bot);
  await say("/invite");
  const text = String(said().at(-1));
  expect(text).toContain(t("invite-how", ARGUMENTS));
  expect(text).toContain(`?start=i_${code}`);
  expect(text).toContain(t("invite-counts", { invited: 1, rewarded: 1 }));
  await say("/invite", ANN, IN_GROUP);
  expect(said().at(-1)).toBe(t("invite-private-only"));
  await say("/invites", MAX);
  expect(said().at(-1)).toContain(t("invites-rewarded", { inviter: money(30_00), invited: money(50_00) }));
});

test("/invites fits into one message where names are long, with the newest ones", async () => {
  const bot = open();
  const { say, said, clock } = bot;
  const named = { ...ANN, first_name: "Ж".repeat(64), last_name: "Ы".repeat(64) };
  for (let i = 0; i < 30; i += 1) {
    await clock.advance(1000);
    await invite(bot, { ...named, id: 7_000_000_000 + i }, { ...named, id: 8_000_000_000 + i });
    await topUp(bot, 8_000_000_000 + i);
  }
  await say("/invites", { ...MAX, language_code: "ru" });
  const lines = String(said().at(-1)).split("\n");
  expect(lines.join("\n").length).toBeLessThanOrEqual(4000);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines[1]).toContain("(8000000029)");
});

test("a person who comes by a link is bound, told and greeted; other links bind nobody", async () => {
  const bot = open();
  const { say, said, managed } = bot;
  const code = await invite(bot);
  expect(managed.invites?.list(9)).toMatchObject([{ inviter_id: 1, invited_id: 2 }]);
  expect(said().slice(1)).toEqual([t("invited-hello", ARGUMENTS), expect.stringContaining("Boris")]);
  const date = Math.floor(bot.clock.now() / 1000);
  await say("/start i_short", { ...BORIS, id: 11 }, { date });
  await say(`/start i_${code}; DROP`, { ...BORIS, id: 12 }, { date });
  expect(managed.invites?.list(9)).toHaveLength(1);
});

test("who is new is known by this service's own clock, whatever Telegram's says", async () => {
  const bot = open();
  const { say, managed, clock } = bot;
  const code = await invite(bot);
  const bound = () => managed.invites?.list(9).map(({ invited_id }) => invited_id);
  const atTelegram = (offMs: number) => ({ date: Math.floor((clock.now() + offMs) / 1000) });
  await say(`/start i_${code}`, { ...BORIS, id: 11 }, atTelegram(2 * MINUTE_MS));
  expect(bound()).toContain(3);
  await say("/start", { ...BORIS, id: 12 }, atTelegram(-3 * HOUR_MS));
  await clock.advance(10 * MINUTE_MS);
  await say(`/start i_${code}`, { ...BORIS, id: 12 }, atTelegram(-3 * HOUR_MS));
  expect(bound()).not.toContain(4);
});

test("where invitations bring nothing there is no such command", async () => {
  const { say, said } = openBotHarness();
  await say("/invite");
  expect(said().join()).not.toContain("start=i_");
});

test("a reward that pays what its person owes is told with that", async () => {
  const bot = open();
  await invite(bot);
  const { parts, telegram, clock, database } = bot;
  await database.write("debt", (tx) => addDebt(tx, 1, asKopecks(20_00)));
  await topUp(bot);
  const invites = isManaged(parts) && parts.accounts.invites;
  if (!isManaged(parts) || !invites) throw new Error("there are no invitations");
  const teller = inviteTeller(parts, invites);
  teller.start();
  await clock.advance(60_000);
  await eventually("the end of the look", () => invites.untold(9).length === 0);
  const texts = telegram.payloadsOf("sendMessage").map(({ text }) => text);
  const earned = t("invite-told-inviter", { sum: money(30_00) });
  expect(texts).toContain(`${earned} ${t("payment-debt", { debt: money(20_00) })}`);
  expect(texts).toContain(t("invite-told-invited", { sum: money(50_00) }));
  await teller.stop();
});

test("both are told once; one who blocked the bot is passed over, and a lost network is tried again", async () => {
  const bot = open();
  await invite(bot);
  await topUp(bot);
  const { parts, telegram, clock } = bot;
  const invites = isManaged(parts) && parts.accounts.invites;
  if (!isManaged(parts) || !invites) throw new Error("there are no invitations");
  const teller = inviteTeller(parts, invites);
  const told = () => telegram.payloadsOf("sendMessage").map(({ chat_id }) => chat_id);
  telegram.calls.length = 0;
  telegram.refuse("sendMessage", brokenConnection(), ({ chat_id }) => chat_id === BORIS.id);
  teller.start();
  await clock.advance(60_000);
  expect(told()).not.toContain(ANN.id);
  const blocked = refusal(403, "Forbidden: bot was blocked by the user");
  telegram.refuse("sendMessage", blocked, ({ chat_id }) => chat_id === BORIS.id);
  for (const _look of [1, 2]) {
    await clock.advance(60_000);
    await eventually("the end of the look", () => invites.untold(9).length === 0);
  }
  expect(told().filter((id) => id === ANN.id)).toHaveLength(1);
  await teller.stop();
});
