import { Command, CommanderError } from "commander";
import { accountCommands } from "./account.js";
import { backupCommand } from "./backup.js";
import { catalogueCommands } from "./catalogue.js";
import { Context, type Settings } from "./context.js";
import { keyCommands } from "./key.js";
import { ledgerCommands } from "./ledger.js";

const FAMILIES = [accountCommands, keyCommands, ledgerCommands, catalogueCommands, backupCommand];

export interface RunOptions {
  /** The words behind the program's name. */
  args: readonly string[];
  settings: () => Settings;
  out: (text: string) => void;
  err: (text: string) => void;
}

/**
 * Runs one command of the operator. With `--json` one JSON value goes to `out`, and a failure to `err` as
 * `{"error":"…"}`.
 * @returns the exit code: 0, or 1 when the command failed
 */
export async function run({ args, settings, out, err }: RunOptions): Promise<0 | 1> {
  const isJson = args.includes("--json");
  const context = new Context(settings, ({ json, text }) => out(`${isJson ? JSON.stringify(json) : text}\n`));
  try {
    await createProgram(context, out).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const reason = reasonOf(error);
    err(`${isJson ? JSON.stringify({ error: reason }) : `ctl: ${reason}`}\n`);
    return 1;
  }
}

function createProgram(context: Context, out: (text: string) => void): Command {
  const program = new Command("ctl")
    .description("The operator's command line of Atelier. Amounts are in rubles.")
    .option("--json", 'print one JSON value; a failure goes to standard error as {"error":"…"}')
    // What commander has to say about a wrong command line follows the one rule for failures.
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: () => {} });
  for (const addTo of FAMILIES) addTo(program, context);
  return program;
}

function reasonOf(error: unknown): string {
  if (error instanceof CommanderError) {
    if (error.code === "commander.help") return "a command is missing: --help lists them";
    return error.message.replace(/^error: /, "");
  }
  return error instanceof Error ? error.message : String(error);
}
