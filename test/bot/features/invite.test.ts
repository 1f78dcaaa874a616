import { GrammyError } from "grammy";
import { expect, test } from "vitest";
import type { Invite, Invites } from "../../../src/accounts/invite-book.js";
import { InviteTeller } from "../../../src/bot/features/invite.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { managedAccounts } from "../../support/fake-accounts.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

const { t, money } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID };
const SUMS = { inviterKopecks: asKopecks(30_00), invitedKopecks: asKopecks(50_00) };
const CODE = "abcdefghijklmnop";
const GROUP = { id: -100, type: "supergroup", title: "Studio" } as const;
const INVITE: Invite = {
  id: 2,
  inviterId: ANN.id,
  invitedId: 8,
  at: 0,
  rewardedAt: 1,
  rewards: 1,
  takenBackAt: null,
  inviterOwedKopecks: asKopecks(0),
  invitedOwedKopecks: asKopecks(0),
  ...SUMS,
};
const ARGUMENTS = { yours: money(30_00), theirs: money(50_00), least: money(50_00), max: 10 };

function open(change: Partial<Invites> = {}) {
  const bound: [number, string][] = [];
  const invites: Invites = {
    sums: SUMS,
    perMonthMax: 10,
    codeOf: async () => CODE,
    bind: async ({ id }, code) => bound.push([id, code]) > 0,
    countsOf: () => ({ invited: 0, rewarded: 0 }),
    list: () => [INVITE],
    untold: () => [],
    markTold: async () => {},
    ...change,
  };
  return { ...openBotHarness({ accounts: managedAccounts({ invites }) }), bound };
}

test("/invite gives a link with the terms, in the private chat alone", async () => {
  const { say, said } = open({ countsOf: () => ({ invited: 3, rewarded: 1 }) });
  await say("/invite");
  const [text = ""] = said();
  expect(text).toContain(t("invite-how", ARGUMENTS));
  expect(text).toContain(`?start=i_${CODE}`);
  expect(text).toContain(t("invite-counts", { invited: 3, rewarded: 1 }));
  await say("/invite", ANN, { chat: GROUP as never });
  expect(said().at(-1)).toBe(t("invite-private-only"));
});

test("a person who comes by a link is bound, told and greeted; other links bind nobody", async () => {
  const { say, said, bound } = open();
  await say(`/start i_${CODE}`);
  expect(bound).toEqual([[ANN.id, CODE]]);
  expect(said()[0]).toBe(t("invited-hello", ARGUMENTS));
  expect(said().at(-1)).toContain("Ann");
  await say("/start i_short");
  await say(`/start i_${CODE}; DROP`);
  expect(bound).toHaveLength(1);
});

test("/invites lists for admins alone", async () => {
  const { say, said } = open();
  await say("/invites", ADMIN);
  expect(said().at(-1)).toContain(t("invites-rewarded", { inviter: money(30_00), invited: money(50_00) }));
  await say("/invites");
  expect(said().at(-1)).not.toContain(t("invites-title"));
});

test("where invitations bring nothing there is no such command", async () => {
  const { say, said } = openBotHarness();
  await say("/invite");
  expect(said().join()).not.toContain("start=i_");
});

test("both are told once; one who blocked the bot is passed over, and a lost network is tried again", async () => {
  let untold = [INVITE];
  const sent: number[] = [];
  const failures = new Map<number, Error>([[8, new Error("network")]]);
  const clock = createManualClock();
  const teller = new InviteTeller({
    api: {
      sendMessage: async (chat: number | string) => {
        const failure = failures.get(Number(chat));
        if (failure) throw failure;
        sent.push(Number(chat));
        return {} as never;
      },
    },
    invites: {
      untold: () => untold,
      markTold: async () => {
        untold = [];
      },
    },
    people: { find: () => undefined },
    texts,
    database: { watch: () => () => {} },
    clock,
    logger: silentLogger(),
  });
  teller.start();
  await clock.advance(60_000);
  expect(sent).toEqual([]);
  const blocked = {
    ok: false as const,
    error_code: 403,
    description: "Forbidden: bot was blocked by the user",
  };
  failures.set(8, new GrammyError("blocked", blocked, "sendMessage", {}));
  await clock.advance(60_000);
  expect(sent).toEqual([ANN.id]);
  await clock.advance(60_000);
  expect(sent).toEqual([ANN.id]);
  await teller.stop();
});
