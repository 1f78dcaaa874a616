import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const ROOT = join(import.meta.dirname, "../..");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The demo as a user starts it, and a browser to look at it with. */
export interface Demo {
  address: string;
  browser: Browser;
  stop(): Promise<void>;
}

export async function startDemo(): Promise<Demo> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "sandbox/main"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await addressOf(child);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    // Tests run as root, and without any network beyond this machine.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
    ],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    address,
    browser,
    async stop() {
      await browser.close();
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
