import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { ledgerEntrySchema } from "@atelier/upstream-stand-ins";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { newFolder } from "./new-folder.js";

const MAIN = join(import.meta.dirname, "../../packages/upstream-stand-ins/dist/main.js");

/** The stand-ins of services in a process of their own, which outlives the service under test. */
export async function startUpstreamProcess() {
  const directory = newFolder();
  const times = ["--queue-sec", "0.02", "--run-sec", "0.05"];
  const child = spawn(process.execPath, [MAIN, "--port", "0", "--keep", directory, ...times], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await rootOf(child);
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/control/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return answer.json() as unknown;
  };
  return {
    url,
    /** Accepted POSTs. */
    ledger: async () => z.array(ledgerEntrySchema).parse(await ask("GET", "ledger")),
    breaches: async () => z.array(z.string()).parse(await ask("GET", "breaches")),
    /** What has been asked, such as `file`. */
    async calls(kind: string) {
      const calls = z.array(z.looseObject({ kind: z.string() })).parse(await ask("GET", "calls"));
      return calls.filter((call) => call.kind === kind).length;
    },
    order: async (fault: { fault: string }) => void (await ask("POST", "faults", fault)),
  };
}

/** Printed when it listens. */
function rootOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const root = /FAL_API_ROOT=(\S+)/.exec(text)?.[1];
      if (root !== undefined) resolve(root);
    });
    child.once("exit", (code) => reject(new Error(`the stand-in ended: ${code}`)));
  });
}
