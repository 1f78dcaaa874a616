import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/restore-data.js";
import { childEnvironment } from "../support/child-environment.js";
import { newFolder } from "../support/new-folder.js";

const ROOT = join(import.meta.dirname, "../..");
const NOBODY = 65_534;
const START_MS = 30_000;
const AS_NOBODY = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all"];

test("these tests run as root, which lacks no right: the service runs as somebody else", () => {
  expect(process.geteuid?.()).toBe(0);
});

/** A data directory of nobody with a database, as an earlier run has left it. */
async function dataOfNobody(): Promise<string> {
  const above = newFolder();
  chmodSync(above, 0o755);
  const data = join(above, "data");
  await openDatabase({ dataDir: data }, "tool").close();
  for (const path of [data, ...readdirSync(data).map((name) => join(data, name))])
    chownSync(path, NOBODY, NOBODY);
  return data;
}

/** Starts the built service as nobody, and waits until it ends. */
function startAsNobody(dataDir: string, settings: Record<string, string> = {}) {
  const env = { ...childEnvironment(), DATA_DIR: dataDir, LOG_LEVEL: "silent", ...settings };
  const command = [...AS_NOBODY, process.execPath, "dist/main.js"];
  return spawnSync("/usr/bin/setpriv", command, { cwd: ROOT, env, encoding: "utf8", timeout: START_MS });
}

/** A path below the data directory that belongs to root, as after a start by the wrong user. */
function ofRoot(path: string, mode: number): void {
  chownSync(path, 0, 0);
  chmodSync(path, mode);
}

const CHOWN = (data: string) => `chown -R ${NOBODY}:${NOBODY} ${data}`;
const CHMOD = (of: string) => (data: string) => `chmod u+rwX ${join(data, of)}`;

test.each<
  [what: string, right: string, of: string, take: (data: string) => void, mend: (data: string) => string]
>([
  ["a folder of root", "w", "", (data) => ofRoot(data, 0o755), CHOWN],
  ["a folder that may not be entered", "x", "", (data) => chmodSync(data, 0o600), CHMOD("")],
  [
    "a folder of root above it",
    "x",
    "..",
    (data) => chmodSync(join(data, ".."), 0o700),
    (data) => `chmod o+x ${join(data, "..")}`,
  ],
  [
    "a folder that is not there, in one of root",
    "w",
    "..",
    (data) => rmSync(data, { recursive: true }),
    (data) => `install -d -m 700 -o ${NOBODY} -g ${NOBODY} ${data}`,
  ],
  [
    "a database that may not be read",
    "r",
    "atelier.db",
    (data) => chmodSync(join(data, "atelier.db"), 0o200),
    CHMOD("atelier.db"),
  ],
  [
    "a database that may not be written",
    "w",
    "atelier.db",
    (data) => chmodSync(join(data, "atelier.db"), 0o400),
    CHMOD("atelier.db"),
  ],
  [
    "a log of root",
    "r",
    "atelier.db-wal",
    (data) => {
      writeFileSync(join(data, "atelier.db-wal"), "");
      ofRoot(join(data, "atelier.db-wal"), 0o600);
    },
    CHOWN,
  ],
  [
    "a lock of root",
    "w",
    "service.lock",
    (data) => {
      writeFileSync(join(data, "service.lock"), "");
      ofRoot(join(data, "service.lock"), 0o644);
    },
    CHOWN,
  ],
])(
  "the start names user, right and what mends it in one line for %s",
  async (_what, right, of, take, mend) => {
    const data = await dataOfNobody();
    take(data);
    const { status, stdout, stderr } = startAsNobody(data);
    expect([status, stdout]).toEqual([1, ""]);
    const said = `cannot be used (uid ${NOBODY} lacks the right ${right} of ${join(data, of)})`;
    expect(stderr).toMatch(/^DATA_DIR: \S+ .*\n$/);
    expect(stderr.trimEnd().endsWith(`${said}: ${mend(data)}`)).toBe(true);
  },
);

test("the start names what mends a folder of backups that belongs to root", async () => {
  const data = await dataOfNobody();
  const backups = join(data, "../backups");
  mkdirSync(backups);
  const { status, stderr } = startAsNobody(data, { BACKUP_DIR: backups });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    new RegExp(
      `^BACKUP_DIR: ${backups} cannot be written \\(EACCES: .*\\): install -d -m 700 -o ${NOBODY} -g ${NOBODY} ${backups}\\n$`,
    ),
  );
});
