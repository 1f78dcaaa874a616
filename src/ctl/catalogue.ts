import type { Command } from "commander";
import { type Catalogue, catalogueWarnings, findEntries, liveProblems } from "../core/core.js";
import { systemClock } from "../platform/clock.js";
import { askComfyui } from "./ask-comfyui.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";

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
  const { comfyui } = context;
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
