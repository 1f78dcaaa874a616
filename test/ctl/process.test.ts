import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { offersFile } from "../core/offers/offers-file.js";
import { freePort } from "../support/free-port.js";
import { newFolder } from "../support/new-folder.js";

const execute = promisify(execFile);

/** The built programs on a data directory of their own, as `npm start` and `npm run ctl` run them. */
async function installation(settings: Record<string, string> = {}) {
  const directory = newFolder();
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: "test",
    DATA_DIR: join(directory, "data"),
    HTTP_PORT: String(port),
    ...settings,
  };
  const ctl = (...args: string[]) =>
    execute(process.execPath, ["scripts/run.mjs", "ctl/main", ...args], { env });

  async function startService() {
    const service = spawn(process.execPath, ["scripts/run.mjs", "main"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void service.kill("SIGKILL"));
    for await (const line of createInterface(service.stdout)) {
      if (line.includes("service started")) break;
    }
    service.stdout.resume();
    return service;
  }
  return { ctl, env, startService, url: `http://127.0.0.1:${port}` };
}

test("the command line works before the first start of the service and next to a running one", async () => {
  const { file, write } = offersFile({});
  const { ctl, env, startService, url } = await installation({ OFFERS_FILE: file });
  expect(await ctl("account", "create", "--json")).toEqual({
    stdout: '{"account_id":1}\n',
    stderr: `ctl: there was no database in ${env.DATA_DIR}: an empty one was made\n`,
  });
  const service = await startService();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const credit = await ctl("account", "credit", "1", "500", "--reason", "two words", "--json");
  expect(credit).toEqual({ stdout: '{"account_id":1,"amount":500,"balance":500}\n', stderr: "" });
  expect((await ctl("ledger", "verify", "--json")).stdout).toBe('{"accounts":1,"mismatches":0}\n');
  await expect(ctl("account", "show", "7", "--json")).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: '{"error":"no account 7"}\n',
  });
  write({ others: "disabled", models: { "nano-banana-2": {} } });
  expect(await ctl("offers", "reload", "--json")).toEqual({ stdout: '{"models":1}\n', stderr: "" });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  service.kill("SIGTERM");
  expect(await once(service, "exit")).toEqual([0, null]);
});

test("a closed pipe is no failure, and a full disk is a failure in one line", async () => {
  const { ctl, env } = await installation();
  await ctl("account", "create");
  const shell = (line: string) => execute("sh", ["-c", line], { env });
  const list = `"${process.execPath}" scripts/run.mjs ctl/main account list`;
  expect(await shell(`(${list}; echo "code $?" >&2) | true`)).toEqual({ stdout: "", stderr: "code 0\n" });
  await expect(shell(`${list} > /dev/full`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^ctl: the answer cannot be written \(ENOSPC.*\)\n$/),
  });
});
