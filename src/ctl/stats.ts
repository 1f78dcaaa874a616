import type { Command } from "commander";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { readSummary } from "./stats-summary.js";
import { table } from "./text.js";

const DAYS_MAX = 36_500;

/** Adds `stats`: what models and providers earn. */
export function statsCommand(program: Command, context: Context): void {
  program
    .command("stats")
    .description("income, refunds, cost and margin by model and provider")
    .option("--days <N>", "of the jobs of the last days; of all jobs by default")
    .option("--summary", "people, orders, money by till, failures and the queue, as /stats of the bot")
    .action(async ({ days, summary }: { days?: string; summary?: true }) => {
      if (summary) return context.answer(await readSummary(context, readDays(days)));
      const { rates } = context.catalogue();
      const found = await context.withUpstreams((admin) => admin.margins(rates, readDays(days)));
      const rows = found.map(({ model, provider, jobs, income, refunds, cost, margin }) => {
        const asked = cost.map(({ amount, currency }) => `${amount} ${currency}`).join(", ");
        return [model, provider, jobs, income, refunds, asked || null, margin];
      });
      const names = ["model", "provider", "jobs", "income, RUB", "refunds, RUB", "cost", "margin, RUB"];
      context.answer({ json: found, text: table(names, rows) });
    });
}

function readDays(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const days = /^[1-9]\d{0,4}$/.test(given) ? Number(given) : Number.NaN;
  if (days <= DAYS_MAX) return days;
  throw new CommandError(`${JSON.stringify(given)} is no number of days from 1 to ${DAYS_MAX}`);
}
