import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The demo as a user starts it. */
export interface Demo {
  address: string;
  stop(): Promise<void>;
}

export async function startDemo(): Promise<Demo> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "sandbox/main"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await addressOf(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    address,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The address that the demo prints. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [, address] = /Open (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
      if (address) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`the demo ended with ${code}: ${printed}`)));
  });
}
