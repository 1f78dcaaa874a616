import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readManifest } from "../../src/backup/manifest.js";
import { asKopecks } from "../../src/contract/price.js";
import { copyDatabase } from "../../src/database/database-copy.js";
import { backUp, dataFolder, put, scratchFolder, withData } from "./data.js";

/** A folder of another disk than the one of the data, which is in memory where there is room. */
function otherDisk(): string {
  const disk = (folder: string) => statSync(folder).dev;
  const known = ["/dev/shm", "/var/tmp"].filter((folder) => existsSync(folder));
  const found = known.find((folder) => disk(folder) !== disk(tmpdir()));
  if (found === undefined) throw new Error("there is no other disk");
  return found;
}

const inode = (...path: string[]) => statSync(join(...path)).ino;

test("a backup is a folder whose every file the usual tool can check, with the versions beside them", async () => {
  const dataDir = await dataFolder();
  const folder = join(scratchFolder(), "one");
  const { files } = await backUp(dataDir, folder, { hasMedia: true });
  expect(readdirSync(folder).sort()).toEqual([
    "SHA256SUMS",
    "atelier.db",
    "link.secret",
    "manifest.json",
    "media",
  ]);
  expect(files).toBe(4);
  execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder });
  expect(readManifest(folder)).toMatchObject({
    format: "atelier-backup",
    program: "1.2.3",
    media: true,
    files: 4,
  });
  expect(existsSync(join(folder, "media/tmp"))).toBe(false);
});

test("media of the same disk cost no space: they are the files of the data", async () => {
  const dataDir = await dataFolder();
  const root = scratchFolder();
  await backUp(dataDir, join(root, "one"), { hasMedia: true });
  const file = "media/files/ab/cd/abcd1.webp";
  expect(inode(root, "one", file)).toBe(inode(dataDir, file));
});

test("media of another disk are copied once: the next backup has the files of the one before", async () => {
  const dataDir = await dataFolder();
  const root = scratchFolder(otherDisk());
  const file = "media/files/ab/cd/abcd1.webp";
  await backUp(dataDir, join(root, "two"), { hasMedia: true });
  expect(readFileSync(join(root, "two", file), "utf8")).toBe("one");
  put(dataDir, "media/files/ab/ce/abce3.webp", "three");
  await backUp(dataDir, join(root, "three"), { hasMedia: true, earlier: join(root, "two") });
  expect(inode(root, "three", file)).toBe(inode(root, "two", file));
  execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: join(root, "three") });
});

test("an earlier backup that lost its sums is left alone", async () => {
  const dataDir = await dataFolder();
  const root = scratchFolder();
  await backUp(dataDir, join(root, "one"), { hasMedia: true });
  rmSync(join(root, "one/SHA256SUMS"));
  await backUp(dataDir, join(root, "two"), { hasMedia: true, earlier: join(root, "one") });
  execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: join(root, "two") });
});

test("the copy is of one moment, and ends, while another process writes all the time", async () => {
  const dataDir = await dataFolder();
  await withData(dataDir, async (service, database) => {
    let isWriting = true;
    const writing = (async () => {
      for (let count = 0; isWriting; count += 1) await service.credit(1, asKopecks(1), `${count}`);
    })();
    const copy = join(scratchFolder(), "copy.db");
    copyDatabase(join(dataDir, "atelier.db"), copy);
    isWriting = false;
    await writing;
    expect(service.verifyLedger().mismatches).toBe(0);
    expect(database).toBeDefined();
    expect(existsSync(`${copy}-wal`)).toBe(false);
  });
});

test("where there is no data, the folder of the data is named, not that of the backup", async () => {
  const dataDir = scratchFolder();
  const missing = `DATA_DIR: ${dataDir} has no atelier.db`;
  await expect(backUp(dataDir, join(scratchFolder(), "one"))).rejects.toThrow(missing);
});
