import type { Command } from "commander";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";

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
