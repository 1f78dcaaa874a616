import type { Command } from "commander";
import { catalogueWarnings, loadCatalogue } from "../core/core.js";
import type { Context } from "./context.js";

function headOf(models: number, warnings: number): string {
  if (warnings === 0) return `${models} models, nothing is wrong`;
  const told = `${models} models, no error, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
  return `${told} What a service does not take goes to the next of PROVIDERS, or is refused before the charge:`;
}

/** `catalogue check`: validates a catalogue as the service does at start. */
export function catalogueCommands(program: Command, context: Context): void {
  const catalogue = program.command("catalogue").description("the models and their prices");

  catalogue
    .command("check [FILE]")
    .description("tell what is wrong with a catalogue, by default the one of the service")
    .action((file: string | undefined) => {
      const checked = loadCatalogue(file ?? context.catalogueFile);
      const models = checked.models.length;
      const warnings = catalogueWarnings(checked);
      context.answer({
        json: { models, ...(warnings.length > 0 && { warnings }) },
        text: [headOf(models, warnings.length), ...warnings.map((warning) => `- ${warning}`)].join("\n"),
      });
    });
}
