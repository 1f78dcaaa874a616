import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { send } from "./client.js";

test("the entry listens, says how to use it, and ends at SIGTERM", async () => {
  const child = spawn(process.execPath, [
    "packages/upstream-stand-ins/dist/main.js",
    "--port",
    "0",
    "--queue-sec",
    "1",
  ]);
  let said = "";
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Ctrl+C")) resolve();
    });
  });
  expect(said).toContain("PROVIDERS=fal,kie,polza\n");
  const url = /FAL_API_ROOT=(\S+)/.exec(said)?.[1];
  expect((await send("GET", `${url}/control/ledger`, undefined)).body).toEqual([]);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
