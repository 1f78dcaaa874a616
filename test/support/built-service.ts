import { type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { childEnvironment } from "./child-environment.js";
import { freePort } from "./free-port.js";
import { newFolder } from "./new-folder.js";

const ROOT = join(import.meta.dirname, "../..");

interface SpawnTerms {
  environment?: Record<string, string>;
  /** Of Node itself. */
  options?: readonly string[];
  stdio?: StdioOptions;
}

/** The service as its users start it, with a database and a port of its own. */
export async function spawnService(
  terms: SpawnTerms,
): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const { environment = {}, options = [], stdio = ["ignore", "pipe", "inherit"] } = terms;
  const own = {
    DATA_DIR: newFolder(),
    HTTP_PORT: String(await freePort()),
  };
  const env = { ...childEnvironment(), ...own, ...environment };
  const child = spawn(process.execPath, [...options, "dist/main.js"], { cwd: ROOT, env, stdio });
  return child as ChildProcessByStdio<null, Readable, Readable>;
}

/** What a service says that does not start, with the code that it ends with. */
export async function failedStart(environment: Record<string, string>) {
  const child = await spawnService({ environment, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code: code as number, stdout, stderr };
}
