import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../src/database/database.js";
import { lockDataDir } from "../src/database/service-lock.js";
import { failedStart, spawnService } from "./support/built-service.js";
import { startMuteServer } from "./support/mute-server.js";
import { markReplaced } from "./support/replaced-schema.js";

function newDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), "atelier-main-"));
  chmodSync(directory, 0o755);
  return directory;
}

/** Waits until a line of log says it. */
function logged(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(words)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code} before "${words}": ${printed}`)));
  });
}

const openToOthers = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (name) => (statSync(join(directory, name)).mode & 0o077) !== 0,
  );

test("a startup failure that the operator can fix is one plain line without a stack", async () => {
  const directory = newDataDir();
  const release = lockDataDir(directory);
  const inUse = await failedStart({ DATA_DIR: directory });
  release();
  expect(inUse).toEqual({
    code: 1,
    stdout: expect.any(String),
    stderr: `another service is running on ${directory}\n`,
  });
  expect(inUse.stdout).not.toMatch(/stack|service\.lock|fatal/);

  const port = String((await startMuteServer()).port);
  const noPort = await failedStart({ DATA_DIR: directory, HTTP_PORT: port });
  expect(noPort.code).toBe(1);
  expect(noPort.stderr).toMatch(
    new RegExp(`^HTTP_HOST, HTTP_PORT: cannot listen \\(.*EADDRINUSE.*127.0.0.1:${port}\\)\\n$`),
  );
  expect(noPort.stdout).not.toContain("stack");
});

test("other users can read nothing in a DATA_DIR that they may enter, whatever its contents and the umask", async () => {
  const directory = newDataDir();
  const before = process.umask(0o022);
  onTestFinished(() => void process.umask(before));
  const database = Database.open({ file: join(directory, "atelier.db"), migrations: [], role: "tool" });
  mkdirSync(join(directory, "media"));
  writeFileSync(join(directory, "link.secret"), "0123456789abcdef0123456789abcdef\n");
  expect(openToOthers(directory).sort()).toEqual([
    "atelier.db",
    "atelier.db-shm",
    "atelier.db-wal",
    "link.secret",
    "media",
  ]);
  await database.close();

  const child = await spawnService({ environment: { DATA_DIR: directory } });
  onTestFinished(() => void child.kill("SIGKILL"));
  await logged(child, "service started");
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["atelier.db-wal", "service.lock"]));
  expect(openToOthers(directory)).toEqual([]);
});

test("an update of the schema makes a backup first where there is a folder for it, and none at the next start", async () => {
  const directory = newDataDir();
  const file = join(directory, "atelier.db");
  await Database.open({ file, role: "service" }).close();
  const old = new Sqlite(file);
  const before = markReplaced(old);
  old.close();
  const backups = mkdtempSync(join(tmpdir(), "atelier-backups-"));
  const environment = { DATA_DIR: directory, BACKUP_DIR: backups };
  const made = () => readdirSync(backups).filter((name) => name.startsWith("before-update-"));
  for (const words of ["backup made before the schema of the data is updated", "service started"]) {
    const child = await spawnService({ environment });
    onTestFinished(() => void child.kill("SIGKILL"));
    await logged(child, words);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  const [folder = "", ...others] = made();
  expect(others).toEqual([]);
  const copy = new Sqlite(join(backups, folder, "atelier.db"), { readonly: true });
  expect(copy.pragma("user_version", { simple: true })).toBe(before);
  copy.close();
});

test("a change of core waits for the open orders of the other one", async () => {
  const directory = newDataDir();
  const file = join(directory, "atelier.db");
  await Database.open({ file, role: "service" }).close();
  const db = new Sqlite(file);
  db.exec(`INSERT INTO "order" (id, number, draft_id, user_id, user_name, chat_id, model_title, request, quoted_kopecks,
      state, job_ids, created_at)
    VALUES ('one', 1, 1, 7, 'Ann', 7, 'Nano', '{}', 1000, 'accepted', '[1]', 0)`);
  const own = { DATA_DIR: directory, BOT_TOKEN: "1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
  const elsewhere = {
    ...own,
    CORE: "api",
    CORE_URL: "http://127.0.0.1:1/v1",
    CORE_API_KEY: "key",
    ALLOWED_USERS: "7",
  };
  expect((await failedStart(elsewhere)).stderr).toContain("CORE: 1 open orders belong to the other core");
  db.exec("INSERT INTO remote_submission (order_id, sent_at) VALUES ('one', 0)");
  expect((await failedStart(own)).stderr).toContain("CORE: 1 open orders belong to the other core");
  db.close();
});
