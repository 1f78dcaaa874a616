import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeInProcess } from "../../src/backup/backups.js";
import { openBackupDirectory } from "../../src/backup/make-backup.js";
import { backupName } from "../../src/backup/manifest.js";
import { keptBackups, removeOldest } from "../../src/backup/swap.js";
import { systemClock } from "../../src/platform/clock.js";
import { backUp, dataFolder, put, scratchFolder } from "./data.js";

const workerFile = fileURLToPath(new URL("../../dist/backup/backup-worker.js", import.meta.url));
/** After each backup that is made here. */
const NOW = Date.UTC(2998, 0, 1);
const day = (number: number) => backupName(Date.UTC(2026, 0, number));

async function folderWith(days: number) {
  const dataDir = await dataFolder();
  const directory = scratchFolder();
  for (let number = 1; number <= days; number += 1) await backUp(dataDir, join(directory, day(number)));
  return { dataDir, directory };
}

test("the oldest leave, and nothing but the service's own is touched", async () => {
  const { directory } = await folderWith(3);
  put(directory, `${day(4)}/manifest.json`, '{"format":"of another program"}');
  put(directory, "atelier-notes/manifest.json", "{}");
  put(directory, ".bashrc.part", "");
  put(directory, `.${day(5)}.part/atelier.db`, "cut by a crash");
  removeOldest(directory, { keep: 2, now: NOW });
  expect(readdirSync(directory).sort()).toEqual(
    [".bashrc.part", day(2), day(3), day(4), "atelier-notes"].sort(),
  );
  expect(keptBackups(directory, NOW).map(({ folder }) => folder)).toEqual(
    [2, 3].map((n) => join(directory, day(n))),
  );
});

test("a folder from the future is neither the newest nor one of those that are kept", async () => {
  const { dataDir, directory } = await folderWith(3);
  const manifest = readFileSync(join(directory, day(3), "manifest.json"), "utf8");
  put(directory, `${day(3)}/manifest.json`, manifest.replace(/"made_at": ?"\d{4}/, '"made_at":"2999'));
  const future = backupName(Date.UTC(2999, 0, 1));
  await backUp(dataDir, join(directory, future));
  const names = () => keptBackups(directory, NOW).map(({ folder }) => basename(folder));
  expect(names()).toEqual([day(1), day(2)]);
  removeOldest(directory, { keep: 1, now: NOW });
  expect(names()).toEqual([day(2)]);
  expect(readdirSync(directory).sort()).toEqual([day(2), day(3), future]);
});

test("a process of its own makes the next one, and removes what is too old", async () => {
  const { dataDir, directory } = await folderWith(2);
  const task = { dataDir, directory, keep: 2, hasMedia: true, program: "1.2.3" };
  const { signal } = new AbortController();
  const made = await makeInProcess(task, signal, workerFile);
  expect(made).toMatchObject({ files: 4, folder: keptBackups(directory, systemClock.now()).at(-1)?.folder });
  expect(keptBackups(directory, systemClock.now())).toHaveLength(2);
  expect(existsSync(join(directory, day(1)))).toBe(false);
});

test("what fails there is told in one line, and a stop ends it at once", async () => {
  const directory = scratchFolder();
  const task = { dataDir: join(directory, "none"), directory, keep: 2, hasMedia: false, program: "1.2.3" };
  const stop = new AbortController();
  await expect(makeInProcess(task, stop.signal, workerFile)).rejects.toThrow(
    /^DATA_DIR: \S+ has no atelier\.db$/,
  );
  stop.abort();
  await expect(makeInProcess(task, stop.signal, workerFile)).rejects.toThrow("SIGKILL");
});

test("a folder of backups inside the data, or that cannot be written, is refused before anything is made", async () => {
  const dataDir = await dataFolder();
  const elsewhere = scratchFolder();
  symlinkSync(join(dataDir, "media"), join(elsewhere, "link"));
  const inside = /^BACKUP_DIR: .* is in DATA_DIR/;
  expect(() => openBackupDirectory(join(elsewhere, "link"), dataDir)).toThrow(inside);
  put(elsewhere, "file", "");
  expect(() => openBackupDirectory(join(elsewhere, "file"), dataDir)).toThrow(
    /^BACKUP_DIR: .* cannot be written \(/,
  );
  openBackupDirectory(join(elsewhere, "new/one"), dataDir);
  expect(readdirSync(join(elsewhere, "new/one"))).toEqual([]);
  mkdirSync(`${dataDir}-backups`);
  openBackupDirectory(`${dataDir}-backups`, dataDir);
  renameSync(`${dataDir}-backups`, `${dataDir}-moved`);
});
