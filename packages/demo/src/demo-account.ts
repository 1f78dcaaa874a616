import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { ProcessOptions } from "./demo-process.js";

const execute = promisify(execFile);
const account = z.object({ account_id: z.number() });
const createdKey = z.object({ key: z.string() });

/** Makes an account with money by the operator's commands and writes its API key to a file, once. */
export async function writeKeyOfAccount(ctl: ProcessOptions, keyFile: string, rubles: number): Promise<void> {
  if (await hasContent(keyFile)) return;
  const { account_id } = account.parse(await run(ctl, "account", "create", "--name", "demo"));
  await run(ctl, "account", "credit", `${account_id}`, `${rubles}`);
  const { key } = createdKey.parse(await run(ctl, "key", "create", `${account_id}`, "--name", "bot"));
  await writeFile(keyFile, key, { mode: 0o600 });
}

async function hasContent(file: string): Promise<boolean> {
  try {
    return (await readFile(file, "utf8")) !== "";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function run({ node, file, environment }: ProcessOptions, ...args: string[]): Promise<unknown> {
  const { stdout } = await execute(node, [file, ...args, "--json"], { env: environment });
  return JSON.parse(stdout);
}
