import type { Command } from "commander";
import { type Catalogue, findEntries } from "../catalogue/catalogue.js";
import { type SaleRow, saleReport } from "../catalogue/costs.js";
import { liveProblems } from "../catalogue/live-problems.js";
import { catalogueWarnings } from "../catalogue/warnings.js";
import { loadWordList } from "../moderation/word-list.js";
import { systemClock } from "../platform/clock.js";
import { askComfyui, CommandError, type Context, table } from "./context.js";

interface Options {
  live?: string | true;
  model?: string;
}

type Entries = ReturnType<typeof findEntries>;

/** Adds `catalogue check`: validates a catalogue as the service does at start, and on request with ComfyUI. */
export function catalogueCommands(program: Command, context: Context): void {
  const catalogue = program.command("catalogue").description("the models and their prices");

  catalogue
    .command("check [FILE_OR_MODEL]")
    .description(
      "tell what is wrong with a catalogue, by default the one of the service, or of one model of it",
    )
    .option("--model <KEY>", "warn of one model only")
    .option("--live [MODEL]", "ask ComfyUI too for the nodes and the model files of the workflows")
    .action(async (given: string | undefined, { live, model }: Options) => {
      const isFile = given !== undefined && isFileName(given);
      const checked = context.catalogue(isFile ? given : undefined);
      const key = typeof live === "string" ? live : (model ?? (isFile ? undefined : given));
      const entries = chosen(checked, key);
      const asked = live === undefined ? [] : [await checkLive(context, entries)];
      const models = checked.models.length;
      const warnings = catalogueWarnings(checked, systemClock.now(), key);
      context.answer({
        json: { models, ...(warnings.length > 0 && { warnings }) },
        text: [
          ...asked,
          headOf(key === undefined ? models : entries.length, warnings.length),
          ...warnings.map(bullet),
        ].join("\n"),
      });
    });
}

/** Tells a file from the key of a model, which has no slash. */
function isFileName(given: string): boolean {
  return given.includes("/") || given.endsWith(".json");
}

function chosen(catalogue: Catalogue, key: string | undefined): Entries {
  const entries = findEntries(catalogue, key);
  if (entries.length === 0) throw new CommandError(`the catalogue has no model ${JSON.stringify(key)}`);
  return entries;
}

/** Compares the mappings with ComfyUI. Throws CommandError, one line for each thing that is missing. */
async function checkLive(context: Context, entries: Entries): Promise<string> {
  const made = entries.filter(({ mappings }) => Object.hasOwn(mappings, "comfyui"));
  if (made.length === 0) return "ComfyUI was not asked: no such model has a mapping of comfyui.";
  const comfyui = context.settings().comfyui();
  const problems = liveProblems(made, await askComfyui(comfyui));
  const keys = made.map(({ model_key }) => model_key).join(", ");
  if (problems.length === 0) return `ComfyUI at ${comfyui.root.origin} has all that these need: ${keys}.`;
  const head = `ComfyUI at ${comfyui.root.origin} does not have all that these need: ${keys}`;
  throw new CommandError([head, ...problems.map(bullet)].join("\n"));
}

function headOf(models: number, warnings: number): string {
  const counted = `${models} ${models === 1 ? "model" : "models"}`;
  if (warnings === 0) return `${counted}, nothing is wrong`;
  const told = `${counted}, no error, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
  return `${told} What a service does not take goes to the next of PROVIDERS, or is refused before the charge:`;
}

function bullet(line: string): string {
  return `- ${line}`;
}

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
      await context.reload("offers");
      const models = sold.current().models.length;
      context.answer({
        json: { models },
        text: `the service has read ${sold.file}: ${models} models are on`,
      });
    });
}

function summary(rows: readonly SaleRow[]): string {
  const known = ({ prices }: SaleRow) => prices.filter(({ margin }) => margin !== null);
  const lowest = (row: SaleRow) => known(row).toSorted((one, other) => percentOf(one) - percentOf(other))[0];
  return table(rows, {
    model: "model",
    provider: "provider",
    "price, RUB": ({ prices }) => range(prices.map(({ price }) => price)),
    "cost, RUB": (row) => range(known(row).map(({ cost }) => cost ?? 0)),
    "margin, RUB": (row) => range(known(row).map(({ margin }) => margin ?? 0)),
    "margin, %": (row) => range(known(row).map(percentOf)),
    "lowest at": (row) => lowest(row)?.at || null,
  });
}

function details(rows: readonly SaleRow[]): string {
  const prices = rows.flatMap((row) => row.prices.map((price) => ({ provider: row.provider, ...price })));
  return table(prices, {
    provider: "provider",
    at: ({ at }) => at || null,
    "price, RUB": "price",
    "cost, RUB": "cost",
    "margin, RUB": "margin",
    "margin, %": (one) => (one.margin === null ? null : percentOf(one)),
  });
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

/** Adds `moderation test` and `moderation reload`: the operator's rules, by which orders are judged before they are paid. */
export function moderationCommands(program: Command, context: Context): void {
  const moderation = program.command("moderation").description("the rules for the words of orders");

  moderation
    .command("test <TEXT>")
    .description("tell whether a text is refused, and by which rule; MODERATION_API_ROOT is not asked")
    .option("--file <FILE>", "rules of this file in place of MODERATION_FILE")
    .action(async (text: string, { file }: { file?: string }) => {
      const files = file === undefined ? context.settings().moderationFiles : [file];
      if (files.length === 0) throw new CommandError("MODERATION_FILE is not set: name a file with --file");
      const rule = await loadWordList(files).refusing(text);
      const json = rule
        ? { refused: true, file: rule.file, line: rule.line, rule: rule.text }
        : { refused: false };
      context.answer({ json, text: rule ? `refused by ${rule.file}:${rule.line}: ${rule.text}` : "allowed" });
    });

  moderation
    .command("reload")
    .description("make the running service read MODERATION_FILE anew; a wrong file changes nothing")
    .action(async () => {
      const files = context.settings().moderationFiles;
      if (files.length === 0)
        throw new CommandError("MODERATION_FILE is not set: there is nothing to read anew");
      // A wrong rule is told also where no service runs.
      loadWordList(files);
      await context.reload("moderation");
      context.answer({ json: { files }, text: `the service has read ${files.join(", ")}` });
    });
}
