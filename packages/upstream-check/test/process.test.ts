import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createUpstreams } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";

const PROGRAM = ["scripts/run.mjs", "build/packages/upstream-check/src/main", "fal", "nano-banana-2"];
/** No setting of the machine counts. */
const CLEAN = { PATH: process.env.PATH, NODE_ENV: "test" };
const KEY = "fal-key-0123456789";

test("without the key nothing is sent, and the variable is named", async () => {
  const run = promisify(execFile)(process.execPath, PROGRAM, { env: CLEAN });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "FAL_API_KEY: must be set for fal\n",
  });
});

test("Ctrl-C ends the waiting: the task is named, and nothing is sent again", async () => {
  const stand = await createUpstreams({ timing: { queueMs: 600_000, runMs: 10 }, keys: { fal: KEY } });
  onTestFinished(() => stand.close());
  const env = { ...CLEAN, ...stand.environment(["fal"]) };
  const child = spawn(process.execPath, PROGRAM, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stdout);
  await stand.waitUntil(() => stand.ledger.length > 0);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(await said).toContain("Not made: interrupted: the task goes on at the service");
  expect(await said).toContain(`"request_id":"${stand.tasks[0]?.id}"`);
  expect(await said).not.toContain(KEY);
  expect(stand.ledger).toHaveLength(1);
});

test("a catalogue is compared without the key, and a key that is set is not sent", async () => {
  const stand = await createUpstreams();
  onTestFinished(() => stand.close());
  const run = (more: object) =>
    promisify(execFile)(process.execPath, [...PROGRAM.slice(0, 2), "polza", "--catalogue"], {
      env: { ...CLEAN, POLZA_API_ROOT: stand.url, ...more },
    });
  const { stdout } = await run({});
  expect(stdout).toContain("grok-imagine by x-ai/grok-imagine-image");
  expect(stdout).not.toContain("be read");
  expect((await run({ POLZA_API_KEY: "polza-key-0123456789" })).stdout).toBe(stdout);
  expect(stand.calls.map(({ status }) => status)).toEqual([200, 200]);
  expect(stand.ledger).toEqual([]);
});
