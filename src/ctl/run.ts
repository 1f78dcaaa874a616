import { Command, CommanderError } from "commander";
import { reasonOf } from "../platform/errors.js";
import {
  accountCommands,
  adminCommands,
  keyCommands,
  ledgerCommands,
  personCommands,
  promoCommands,
} from "./account.js";
import { backupCommand, restoreCommand } from "./backup.js";
import { catalogueCommands, moderationCommands, offersCommands } from "./catalogue.js";
import { Context, type Settings } from "./context.js";
import { deskCommands, limitCommand, storyCommands } from "./desk.js";
import { attemptCommands, statsCommand, upstreamCommands } from "./upstream.js";

const FAMILIES = [
  accountCommands,
  adminCommands,
  keyCommands,
  ledgerCommands,
  moderationCommands,
  promoCommands,
  catalogueCommands,
  offersCommands,
  backupCommand,
  restoreCommand,
  upstreamCommands,
  attemptCommands,
  statsCommand,
  personCommands,
  storyCommands,
  deskCommands,
  limitCommand,
];

export interface CommandOptions {
  args: readonly string[];
  settings: () => Settings;
  out: (text: string) => void;
  err: (text: string) => void;
}

/** Runs one command. `--json` prints one JSON value to `out`, and a failure as `{"error":"…"}` to `err`. */
export async function runCommand({ args, settings, out, err }: CommandOptions): Promise<0 | 1> {
  const isJson = args.includes("--json");
  const context = new Context(settings, ({ json, text }) => out(`${isJson ? JSON.stringify(json) : text}\n`));
  try {
    await createProgram(context, out).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const reason = failureOf(error);
    err(`${isJson ? JSON.stringify({ error: reason }) : `ctl: ${reason}`}\n`);
    return 1;
  }
}

function createProgram(context: Context, out: (text: string) => void): Command {
  const program = new Command("ctl")
    .description("The operator's command line of Atelier. Amounts are in rubles.")
    .option("--json", 'print one JSON value; a failure goes to standard error as {"error":"…"}')
    // Commander's own errors are reported like any other failure.
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: () => {} });
  for (const addTo of FAMILIES) addTo(program, context);
  return program;
}

function failureOf(error: unknown): string {
  if (error instanceof CommanderError) {
    if (error.code === "commander.help") return "a command is missing: --help lists them";
    return error.message.replace(/^error: /, "");
  }
  return reasonOf(error);
}
