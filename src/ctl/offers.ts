import type { Command } from "commander";
import { type SaleRow, saleReport } from "../core/core.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";

/** Adds `offers show` and `offers reload`: what is sold, at what cost and margin. */
export function offersCommands(program: Command, context: Context): void {
  const offers = program.command("offers").description("what is sold, and what it costs");

  offers
    .command("show")
    .description("what is sold by PROVIDERS, at what cost and margin")
    .option("--model <KEY>", "each price of one model")
    .action(({ model }: { model?: string }) => {
      const rows = saleReport(context.offers()).filter((row) => model === undefined || row.model === model);
      if (model !== undefined && rows.length === 0)
        throw new CommandError(`nothing is sold as ${JSON.stringify(model)}`);
      context.answer({ json: rows, text: model === undefined ? summary(rows) : details(rows) });
    });

  offers
    .command("reload")
    .description("make the running service read OFFERS_FILE anew; a wrong file changes nothing")
    .action(async () => {
      const sold = context.offers();
      if (sold.file === undefined)
        throw new CommandError("OFFERS_FILE is not set: there is nothing to read anew");
      await context.reloadOffers();
      const models = sold.current().models.length;
      context.answer({
        json: { models },
        text: `the service has read ${sold.file}: ${models} models are on`,
      });
    });
}

function summary(rows: readonly SaleRow[]): string {
  const names = ["model", "provider", "price, RUB", "cost, RUB", "margin, RUB", "margin, %", "lowest at"];
  const lines = rows.map(({ model, provider, prices }) => {
    const known = prices.filter(({ margin }) => margin !== null);
    const lowest = known.toSorted((one, other) => percentOf(one) - percentOf(other))[0];
    return [
      model,
      provider,
      range(prices.map(({ price }) => price)),
      range(known.map(({ cost }) => cost ?? 0)),
      range(known.map(({ margin }) => margin ?? 0)),
      range(known.map(percentOf)),
      lowest?.at || null,
    ];
  });
  return table(names, lines);
}

function details(rows: readonly SaleRow[]): string {
  const names = ["provider", "at", "price, RUB", "cost, RUB", "margin, RUB", "margin, %"];
  const lines = rows.flatMap(({ provider, prices }) =>
    prices.map((one) => [
      provider,
      one.at || null,
      one.price,
      one.cost,
      one.margin,
      one.margin === null ? null : percentOf(one),
    ]),
  );
  return table(names, lines);
}

/** Returns the margin as whole percents of the price. */
function percentOf({ price, margin }: SaleRow["prices"][number]): number {
  return Math.round(((margin ?? 0) / price) * 100);
}

function range(values: readonly number[]): string | null {
  if (values.length === 0) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? `${least}` : `${least} to ${most}`;
}
