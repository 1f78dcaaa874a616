import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

type DemoSignal = "SIGTERM" | "SIGINT" | "SIGKILL";

/** The demo as a user starts it. */
export interface Demo {
  address: string;
  pid: number;
  /** The code that it ends with; null where a signal ended it. */
  exitCode: Promise<number | null>;
  stop(signal?: DemoSignal): Promise<void>;
}

export async function startDemo(options: readonly string[] = []): Promise<Demo> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "packages/demo/dist/main", ...options], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exitCode = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const address = await addressOf(child);
  return {
    address,
    pid: child.pid ?? 0,
    exitCode,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await exitCode;
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
