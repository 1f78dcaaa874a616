import type { Command } from "commander";
import type { ApiKey } from "../accounts/key-store.js";
import type { CorrectionOutcome, LedgerEntry } from "../accounts/ledger-store.js";
import { createPromoCode, type PromoCode, promoCodes } from "../accounts/promo-book.js";
import { rublesOf } from "../contract/price.js";
import type { Account } from "../core/admin-service.js";
import { systemClock } from "../platform/clock.js";
import { DAY_MS } from "../platform/units.js";
import { isoTime, parseDay } from "../platform/zoned-time.js";
import { CommandError, type Context, readAmount, readCount, readId, readText, table } from "./context.js";

const USES_MAX = 1_000_000;

/** Adds `promo create` and `promo list`. */
export function promoCommands(program: Command, context: Context): void {
  const promo = program.command("promo").description("codes that people of the chat type for a credit");

  promo
    .command("create <CODE>")
    .description("make a code, in any case; each person can use it once")
    .requiredOption("--rub <RUB>", "what a person gets")
    .requiredOption("--uses <N>", "how many people can use it")
    .requiredOption("--until <DATE>", "its last day (UTC), such as 2026-12-31")
    .action(async (code: string, given: { rub: string; uses: string; until: string }) => {
      const kopecks = readAmount(given.rub);
      const usesMax = readCount(given.uses, "uses", USES_MAX);
      const validUntil = readDayEnd(given.until);
      const made = await context.withCore("accounts and promo codes", (database) =>
        createPromoCode({ database, clock: systemClock }, { code, kopecks, usesMax, validUntil }),
      );
      context.answer({
        json: promoJson(made),
        text: `${made.code} can be used until the end of ${dayBefore(made.valid_until)} (UTC)`,
      });
    });

  promo
    .command("list")
    .description("the codes, the newest first")
    .action(async () => {
      const found = await context.withCore("accounts and promo codes", promoCodes);
      const json = found.map(promoJson);
      const lastDay = ({ until }: (typeof json)[number]) => dayBefore(Date.parse(until));
      const columns = {
        code: "code",
        rub: "rub",
        uses: "uses",
        of: "uses_max",
        "last day": lastDay,
      } as const;
      context.answer({ json, text: table(json, columns) });
    });
}

/** Returns the last day (UTC) before a moment, such as `2026-12-31`. */
function dayBefore(ms: number): string {
  return isoTime(ms - 1).slice(0, 10);
}

/** Reads a day as the moment at which it is over, in UTC. */
function readDayEnd(text: string): number {
  const start = parseDay(text);
  if (start === undefined) throw new CommandError(`${JSON.stringify(text)} is no day such as 2026-12-31`);
  return start + DAY_MS;
}

function promoJson({ code, kopecks, uses, uses_max, valid_until }: PromoCode) {
  return { code, rub: rublesOf(kopecks), uses, uses_max, until: isoTime(valid_until) };
}

export function accountCommands(program: Command, context: Context): void {
  const account = program.command("account").description("accounts and their balances");

  account
    .command("create")
    .description("make an account with an empty balance")
    .option("--name <N>", "what the account is called")
    .action(async ({ name }: { name?: string }) => {
      const called = readText("--name", name);
      const { id } = await context.withAdminService((service) => service.createAccount(called));
      context.answer({ json: { account_id: id }, text: `account ${id} created` });
    });

  for (const kind of ["credit", "debit"] as const) {
    account
      .command(`${kind} <ID> <RUB>`)
      .description(kind === "credit" ? "add rubles to a balance" : "take rubles from a balance")
      .option("--reason <R>", "why, for the record")
      .action(async (id: string, rubles: string, { reason }: { reason?: string }) => {
        const accountId = readId(id);
        const kopecks = readAmount(rubles);
        const why = readText("--reason", reason);
        const outcome = await context.withAdminService((service) => service[kind](accountId, kopecks, why));
        context.answer(correctionAnswer(accountId, kind === "credit" ? kopecks : -kopecks, outcome));
      });
  }

  account
    .command("show <ID>")
    .description("one account")
    .action(async (id: string) => {
      const json = accountJson(await context.withAdminService((service) => service.account(readId(id))));
      context.answer({ json, text: table([json], ACCOUNT_COLUMNS) });
    });

  account
    .command("list")
    .description("every account")
    .action(async () => {
      const found = await context.withAdminService((service) => service.accounts());
      const json = found.map(accountJson);
      context.answer({ json, text: table(json, ACCOUNT_COLUMNS) });
    });

  account
    .command("entries <ID>")
    .description("every change of a balance, oldest first")
    .action(async (id: string) => {
      const found = await context.withAdminService((service) => service.entries(readId(id)));
      const json = found.map(entryJson);
      context.answer({ json, text: table(json, ENTRY_COLUMNS) });
    });
}

function correctionAnswer(accountId: number, kopecks: number, correction: CorrectionOutcome) {
  const balance = rublesOf(correction.balanceKopecks);
  const amount = rublesOf(kopecks);
  if (correction.outcome === "too_large") {
    throw new CommandError(`the balance of account ${accountId} is only ${balance} RUB`);
  }
  return {
    json: { account_id: accountId, amount, balance },
    text: `account ${accountId}: ${amount > 0 ? "+" : ""}${amount} RUB, the balance is ${balance} RUB`,
  };
}

function accountJson({ id, name, balance, identities, created_at }: Account) {
  const telegram = identities.find(({ kind }) => kind === "telegram");
  return {
    account_id: id,
    name,
    balance: rublesOf(balance),
    telegram_id: telegram ? Number(telegram.subject) : null,
    created_at: isoTime(created_at),
  };
}

const ACCOUNT_COLUMNS = {
  account: "account_id",
  name: "name",
  "balance, RUB": "balance",
  "Telegram id": "telegram_id",
  created: "created_at",
} as const;

function entryJson({ kind, amount, balance_after, reason, created_at }: LedgerEntry) {
  return {
    kind,
    amount: rublesOf(amount),
    balance: rublesOf(balance_after),
    reason,
    created_at: isoTime(created_at),
  };
}

const ENTRY_COLUMNS = {
  time: "created_at",
  kind: "kind",
  "amount, RUB": "amount",
  "balance, RUB": "balance",
  reason: "reason",
} as const;

export function personCommands(program: Command, context: Context): void {
  const person = program.command("person").description("people of the chat, by their Telegram id");

  person
    .command("forget <ID>")
    .description(
      "erase what is stored about a person: the running service does it when their orders have ended",
    )
    .action(async (given: string) => {
      const id = readId(given, "a person");
      const account_id = await context.withAdminService((service) =>
        service.forgetPerson({ kind: "telegram", subject: String(id) }),
      );
      context.answer({
        json: { telegram_id: id, account_id, state: "asked" },
        text: `person ${id} (account ${account_id}) will be forgotten by the running service`,
      });
    });
}

export function adminCommands(program: Command, context: Context): void {
  const admin = program.command("admin").description("the admins of the bot");

  admin
    .command("list")
    .description("those of ADMIN_IDS, and those who became one by the code of a start")
    .action(async () => {
      const shown = await context.withAdmins((admins, listed) => [
        ...listed.map((id) => ({ user_id: id, source: "ADMIN_IDS", name: null, added_at: null })),
        ...admins.kept().map(({ user_id, name, added_at }) => {
          return { user_id, source: "code", name, added_at: isoTime(added_at) };
        }),
      ]);
      const columns = { id: "user_id", by: "source", name: "name", since: "added_at" } as const;
      context.answer({ json: shown, text: table(shown, columns) });
    });

  admin
    .command("remove <ID>")
    .description("make an admin a person like others, from the next message on")
    .action(async (given: string) => {
      const id = readId(given, "a person");
      const isListed = await context.withAdmins(async (admins, listed) => {
        if (!(await admins.remove(id, "ctl"))) throw new CommandError(notRemoved(id, listed));
        return listed.includes(id);
      });
      const note = isListed ? " here, and stays one by ADMIN_IDS" : "";
      context.answer({ json: { user_id: id, is_admin: isListed }, text: `${id} is no admin${note}` });
    });
}

function notRemoved(id: number, listed: readonly number[]): string {
  return listed.includes(id)
    ? `${id} is an admin by ADMIN_IDS: take it out there, and restart the service`
    : `${id} is no admin: "admin list" shows them`;
}

export function keyCommands(program: Command, context: Context): void {
  const key = program.command("key").description("the API keys of accounts");

  key
    .command("create <ACCOUNT_ID>")
    .description("make a key; it is shown this once and never again")
    .option("--name <N>", "what the key is called")
    .action(async (accountId: string, { name }: { name?: string }) => {
      const [id, called] = [readId(accountId), readText("--name", name)];
      const made = await context.withAdminService((service) => service.createKey(id, called));
      context.answer({ json: { key_id: made.id, key: made.key }, text: made.key });
    });

  key
    .command("list <ACCOUNT_ID>")
    .description("every key of an account, oldest first, the revoked ones too")
    .action(async (accountId: string) => {
      const found = await context.withAdminService((service) => service.keys(readId(accountId)));
      const json = found.map(keyJson);
      context.answer({ json, text: table(json, KEY_COLUMNS) });
    });

  key
    .command("revoke <KEY_ID>")
    .description("end a key, from the next request on")
    .action(async (keyId: string) => {
      const id = readId(keyId, "a key");
      const revoked_at = isoTime(await context.withAdminService((service) => service.revokeKey(id)));
      context.answer({ json: { key_id: id, revoked_at }, text: `key ${id} revoked at ${revoked_at}` });
    });
}

function keyJson({ id, prefix, name, created_at, last_used_at, revoked_at }: ApiKey) {
  return {
    key_id: id,
    prefix,
    name,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
    revoked_at: isoTime(revoked_at),
  };
}

const KEY_COLUMNS = {
  key: "key_id",
  prefix: "prefix",
  name: "name",
  created: "created_at",
  "last used": "last_used_at",
  revoked: "revoked_at",
} as const;

/** Adds `ledger verify`: recomputes every balance from its entries, and fails on a mismatch. */
export function ledgerCommands(program: Command, context: Context): void {
  const ledger = program.command("ledger").description("the record of all money");

  ledger
    .command("verify")
    .description("recompute every balance from its entries")
    .action(async () => {
      const { accounts, mismatches } = await context.withAdminService((service) => service.verifyLedger());
      context.answer({
        json: { accounts, mismatches },
        text: `${accounts} accounts checked, ${mismatches} mismatches`,
      });
      if (mismatches > 0) throw new CommandError(`${mismatches} balances do not match their entries`);
    });
}
