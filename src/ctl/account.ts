import type { Command } from "commander";
import { rublesOf } from "../contract/money.js";
import type { Account, LedgerEntry } from "../core/core.js";
import type { CorrectionOutcome } from "../ports/admin.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";
import { isoTime, readAmount, readId } from "./values.js";

export function accountCommands(program: Command, context: Context): void {
  const account = program.command("account").description("accounts and their balances");

  account
    .command("create")
    .description("make an account with an empty balance")
    .option("--name <N>", "what the account is called")
    .action(async ({ name }: { name?: string }) => {
      const { id } = await context.withAdminService((service) => service.createAccount(name?.trim() || null));
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
        const outcome = await context.withAdminService((service) =>
          service[kind](accountId, kopecks, reason?.trim() || null),
        );
        context.answer(correctionAnswer(accountId, kind === "credit" ? kopecks : -kopecks, outcome));
      });
  }

  account
    .command("show <ID>")
    .description("one account")
    .action(async (id: string) => {
      const found = await context.withAdminService((service) => service.account(readId(id)));
      context.answer({ json: accountJson(found), text: accountsText([found]) });
    });

  account
    .command("list")
    .description("every account")
    .action(async () => {
      const found = await context.withAdminService((service) => service.accounts());
      context.answer({ json: found.map(accountJson), text: accountsText(found) });
    });

  account
    .command("entries <ID>")
    .description("every change of a balance, oldest first")
    .action(async (id: string) => {
      const found = await context.withAdminService((service) => service.entries(readId(id)));
      context.answer({ json: found.map(entryJson), text: entriesText(found) });
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

function accountsText(accounts: readonly Account[]): string {
  const rows = accounts
    .map(accountJson)
    .map((shown) => [shown.account_id, shown.name, shown.balance, shown.telegram_id, shown.created_at]);
  return table(["account", "name", "balance, RUB", "Telegram id", "created"], rows);
}

function entryJson({ kind, amount, balance_after, reason, created_at }: LedgerEntry) {
  return {
    kind,
    amount: rublesOf(amount),
    balance: rublesOf(balance_after),
    reason,
    created_at: isoTime(created_at),
  };
}

function entriesText(entries: readonly LedgerEntry[]): string {
  const rows = entries
    .map(entryJson)
    .map((shown) => [shown.created_at, shown.kind, shown.amount, shown.balance, shown.reason]);
  return table(["time", "kind", "amount, RUB", "balance, RUB", "reason"], rows);
}
