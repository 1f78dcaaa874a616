import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { openAdmin } from "../support/accounts.js";
import { Chatter } from "../support/chatter.js";
import { childEnvironment } from "../support/child-environment.js";
import { ChildService } from "../support/child-service.js";
import { freePort } from "../support/free-port.js";
import { newFolder } from "../support/new-folder.js";
import { ANN, startSandbox, TOKEN } from "../support/service.js";

/** No file of the process grows beyond this: enough for the index of the log, and the log is already larger. */
const FILE_KB_MAX = 64;
const LOG_BYTES_MIN = 2 * FILE_KB_MAX * 1024;

/** A data directory whose log another connection keeps so long that a limited process cannot append to it. */
async function installation() {
  const directory = newFolder();
  const database = openDatabase({ dataDir: directory }, "service");
  onTestFinished(() => database.close());
  const adminService = createAdminService(database, systemClock);
  const { id } = await adminService.createAccount("studio");
  for (let written = 0; written < LOG_BYTES_MIN; written += 4096)
    await adminService.credit(id, asKopecks(1), null);
  return { directory, adminService, id };
}

/** A program of the build whose COMMITs fail with SQLITE_IOERR_WRITE. Node ignores the signal SIGXFSZ. */
function runLimited(args: readonly string[], env: Record<string, string>) {
  const command = `ulimit -f ${FILE_KB_MAX}; exec "$0" "$@"`;
  const child = spawn("bash", ["--norc", "-c", command, process.execPath, ...args], {
    env: { ...childEnvironment(), ...env },
  });
  const ended = once(child, "exit").then(([code]: unknown[]) => code);
  return { ended, out: text(child.stdout), err: text(child.stderr) };
}

test("a service whose COMMIT fails with an unknown outcome exits with one fatal line and a non-zero code", async () => {
  const { directory, adminService } = await installation();
  const port = String(await freePort());
  const service = runLimited(["dist/main.js"], { DATA_DIR: directory, HTTP_PORT: port });
  let hasEnded = false;
  void service.ended.then(() => {
    hasEnded = true;
  });
  const answers: number[] = [];
  while (!hasEnded) {
    // It writes a probe, and never answers for it.
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer) answers.push(answer.status);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await service.ended).toBe(1);
  const lines = (await service.out).split("\n").filter((line) => line.includes('"level":60'));
  expect(lines).toEqual([expect.stringContaining("SQLITE_IOERR")]);
  expect(answers).toEqual([]);
  expect(adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });

  const next = new ChildService({ DATA_DIR: directory });
  const ready = await fetch(`${await next.ready()}/readyz`);
  expect(ready.status).toBe(200);
  await next.kill();
});

test("a command whose COMMIT fails with an unknown outcome says so in one line, exits with 1, and can be checked", async () => {
  const { directory, adminService, id } = await installation();
  const { balance } = adminService.account(id);
  const args = ["dist/ctl/main.js", "account", "credit", String(id), "5"];
  const command = runLimited(args, { DATA_DIR: directory });
  expect(await command.ended).toBe(1);
  expect(await command.out).toBe("");
  expect(await command.err).toMatch(
    /^ctl: it is not known whether the change was written \(.+\): check it before you repeat it\n$/,
  );
  // The log was cut off before the commit's last frame.
  expect(adminService.account(id).balance).toBe(balance);
  expect(adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  await adminService.credit(id, asKopecks(500), null);
  expect(adminService.account(id).balance).toBe(balance + 500);
});

test("an order that was written with an unknown outcome is charged, made and sent once after the next start", async () => {
  const directory = newFolder();
  const sandbox = await startSandbox();
  const environment = {
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: directory,
    WELCOME_CREDIT_RUB: "100",
  };
  const first = new ChildService({ ...environment, TEST_UNKNOWN_COMMIT: "job:accept" });
  await first.ready();
  const ann = new Chatter(sandbox.person(ANN.id));
  ann.say("a barn");
  const tap = await ann.press("✅");
  expect(await first.exitCode).toBe(1);
  const second = new ChildService(environment);
  await second.ready();
  expect((await tap.answered()).text).toBe("This is already paid and on its way.");
  await ann.seePhoto();
  expect(ann.photos()).toHaveLength(1);
  await second.kill();
  const adminService = openAdmin(directory);
  expect(adminService.entries(1).map(({ kind }) => kind)).toEqual(["credit", "charge"]);
  expect(adminService.verifyLedger().mismatches).toBe(0);
});
