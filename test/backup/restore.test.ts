import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { readManifest } from "../../src/backup/manifest.js";
import { beginSwap, finishSwap, isSwapping, lastRestore, lostSince } from "../../src/backup/swap.js";
import { asKopecks } from "../../src/contract/price.js";
import { Database } from "../../src/database/database.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { table } from "../../src/database/table.js";
import { integer } from "../../src/platform/integer.js";
import { holdDataDir, openDatabase, restoreBackup } from "../../src/restore-data.js";
import { botWorldOn } from "../support/bot-world.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { markReplaced } from "../support/replaced-schema.js";
import { backUp, dataFolder, put, scratchFolder, withData } from "./data.js";

const restore = (folder: string, dataDir: string, mayReplace = true) =>
  restoreBackup({ folder, dataDir, mayReplace });
const balanceIn = (dataDir: string) => withData(dataDir, (service) => service.account(1).balance);

async function backedUp(given?: string) {
  const dataDir = given ?? (await dataFolder());
  const folder = join(scratchFolder(), "backup");
  await backUp(dataDir, folder, { hasMedia: true });
  return { dataDir, folder };
}

/** Everything below a folder, with its content. */
function snapshot(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path)).isFile())
    .map(
      (path) =>
        `${path} ${createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("hex")}`,
    )
    .sort();
}

/** Writes the sums of a changed backup anew, as a hostile one has them. */
function resum(folder: string, text: string): void {
  writeFileSync(join(folder, "SHA256SUMS"), text);
  change(folder, {
    sums_sha256: createHash("sha256").update(text).digest("hex"),
    files: text.split("\n").length - 1,
  });
}

function change(folder: string, part: object): void {
  const file = join(folder, "manifest.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...part }));
}

test("a backup is the data again, with balances of its moment, and what was there is kept whole", async () => {
  const { dataDir, folder } = await backedUp();
  await withData(dataDir, (service) => service.credit(1, asKopecks(500), "later"));
  put(dataDir, "media/files/zz/zz/zzzz9.webp", "later");
  put(dataDir, "notes.txt", "the operator's");
  writeFileSync(join(dataDir, "link.secret"), "another secret of thirty-two chars\n");
  const { keptIn = "", before } = await restore(folder, dataDir);
  expect(await balanceIn(dataDir)).toBe(10_000);
  expect(before?.facts?.lostEntries).toBe(1);
  expect(readFileSync(join(dataDir, "link.secret"), "utf8")).toContain("0123456789abcdef");
  expect(readFileSync(join(dataDir, "media/files/ab/cd/abcd1.webp"), "utf8")).toBe("one");
  expect(existsSync(join(dataDir, "media/files/zz"))).toBe(false);
  expect(readFileSync(join(dataDir, "notes.txt"), "utf8")).toBe("the operator's");
  expect(await balanceIn(keptIn)).toBe(10_500);
  expect(readFileSync(join(keptIn, "media/files/zz/zz/zzzz9.webp"), "utf8")).toBe("later");
  expect(readFileSync(join(keptIn, "link.secret"), "utf8")).toContain("another secret");
});

test("a restore into an empty folder asks nothing and leaves nothing beside the data", async () => {
  const { folder } = await backedUp();
  const dataDir = join(scratchFolder(), "new");
  expect(await restore(folder, dataDir, false)).toMatchObject({ before: undefined, keptIn: undefined });
  expect(readdirSync(dataDir).sort()).toEqual(["atelier.db", "link.secret", "media", "service.lock"]);
  expect(await balanceIn(dataDir)).toBe(10_000);
});

test("what the backup has not stays, media in what is kept too, and a link secret", async () => {
  const { dataDir } = await backedUp();
  const bare = await dataFolder();
  rmSync(join(bare, "link.secret"));
  const folder = join(scratchFolder(), "bare");
  await backUp(bare, folder);
  const { keptIn = "" } = await restore(folder, dataDir);
  expect(existsSync(join(dataDir, "link.secret"))).toBe(true);
  for (const root of [dataDir, keptIn])
    expect(readFileSync(join(root, "media/files/ab/cd/abcd1.webp"), "utf8")).toBe("one");
});

test("data that is there is not replaced before somebody has read what would be lost", async () => {
  const { dataDir, folder } = await backedUp();
  await withData(dataDir, (service) => service.credit(1, asKopecks(500), "later"));
  const before = snapshot(dataDir);
  await expect(restore(folder, dataDir, false)).rejects.toThrow(
    /^the data there goes on until 20\S+Z, the backup ends at 20\S+Z: 1 ledger entries .* Repeat with --yes/,
  );
  expect(snapshot(dataDir)).toEqual(expect.arrayContaining(before));
  expect(readdirSync(dataDir).filter((name) => /restore/.test(name))).toEqual([]);
});

test("what was written after a restore is counted as lost, however much more a backup of before has", async () => {
  const { dataDir, folder } = await backedUp();
  const credit = () => withData(dataDir, (service) => service.credit(1, asKopecks(500), "later"));
  await credit();
  await credit();
  const second = await backedUp(dataDir);
  await restore(folder, dataDir);
  await credit();
  await expect(restore(second.folder, dataDir, false)).rejects.toThrow(": 1 ledger entries ");
});

test("of data of a newer program it is said that nobody can count here what would be lost", async () => {
  const { dataDir, folder } = await backedUp();
  const db = new Sqlite(join(dataDir, "atelier.db"));
  db.pragma("user_version = 999");
  db.close();
  await expect(restore(folder, dataDir, false)).rejects.toThrow(
    /^the data there is of a newer program, and what it has since 20\S+Z, .* orders and payments since then would be lost/,
  );
});

test("a backup with a row whose JSON cannot be what the service writes changes nothing", async () => {
  const { dataDir } = await backedUp();
  await withData(dataDir, (_service, database) =>
    database.write("test", (tx) => {
      const row = { user_id: 7, model_key: "any", parameters: '{"prompt":{}}', used_at: integer(1) };
      table("last_parameters").insert(tx, row);
    }),
  );
  const folder = join(scratchFolder(), "odd");
  await backUp(dataDir, folder);
  const before = snapshot(dataDir);
  await expect(restore(folder, dataDir)).rejects.toThrow(
    "is damaged: atelier.db: a row of last_parameters has an unreadable parameters",
  );
  expect(snapshot(dataDir)).toEqual(expect.arrayContaining(before));
  expect(readdirSync(dataDir).filter((name) => /restore/.test(name))).toEqual([]);
});

test("damaged data is replaced too, and kept", async () => {
  const { dataDir, folder } = await backedUp();
  writeFileSync(join(dataDir, "atelier.db"), "not a database");
  await expect(restore(folder, dataDir, false)).rejects.toThrow(/^the data there cannot be read/);
  const { keptIn = "" } = await restore(folder, dataDir);
  expect(readFileSync(join(keptIn, "atelier.db"), "utf8")).toBe("not a database");
  expect(await balanceIn(dataDir)).toBe(10_000);
});

test("a service that holds the folder makes a restore fail at once", async () => {
  const { dataDir, folder } = await backedUp();
  const { logger } = recordingLogger();
  const release = holdDataDir({ dataDir }, logger);
  await expect(restore(folder, dataDir)).rejects.toThrow(
    `another service is running on ${dataDir}: stop it first`,
  );
  release();
  await restore(folder, dataDir);
});

test("a backup of an older version is brought up to this one", async () => {
  const dataDir = scratchFolder();
  const file = join(dataDir, "atelier.db");
  await Database.open({ file, migrations: MIGRATIONS.slice(0, 1), role: "service" }).close();
  const old = new Sqlite(file);
  markReplaced(old);
  old.close();
  const folder = join(scratchFolder(), "old");
  await backUp(dataDir, folder);
  const target = join(scratchFolder(), "new");
  await restore(folder, target);
  await openDatabase({ dataDir: target }, "tool").close();
});

test("a table that was empty at the backup goes on too", async () => {
  const { dataDir, folder } = await backedUp();
  const keyIn = (place: string) => withData(place, async (service) => (await service.createKey(1, null)).id);
  expect([await keyIn(dataDir), await keyIn(dataDir)]).toEqual([1, 2]);
  await restore(folder, dataDir);
  expect(await keyIn(dataDir)).toBe(3);
  const elsewhere = join(scratchFolder(), "new");
  await restore(folder, elsewhere);
  expect(await keyIn(elsewhere)).toBe(100_001);
});

test("numbers of orders and of uncertain ones go on too: an old button names no other order", async () => {
  const dataDir = await dataFolder();
  const place = (id: string, at = dataDir) =>
    withData(at, async (_service, database) => {
      const { claimedOrder, orders } = botWorldOn(database, createManualClock(), at);
      const order = await claimedOrder(id);
      return [order.number, (await orders.uncertain.mark(order))?.number];
    });
  expect(await place("before")).toEqual([1, 1]);
  const folder = join(scratchFolder(), "backup");
  await backUp(dataDir, folder);
  expect(await place("lost")).toEqual([2, 2]);
  await restore(folder, dataDir);
  expect(await place("new")).toEqual([3, 3]);
  const elsewhere = join(scratchFolder(), "new");
  await restore(folder, elsewhere);
  expect(await place("new", elsewhere)).toEqual([100_002, 100_002]);
});

test("what is lost begins at the oldest of the backups that were restored, one after the other", async () => {
  const { dataDir, folder } = await backedUp();
  await restore(folder, dataDir);
  const second = await backedUp(dataDir);
  await restore(second.folder, dataDir);
  await withData(dataDir, (_service, database) => {
    expect(lastRestore(database)).toMatchObject({ lost_attempts: 0 });
    expect(lostSince(database)).toBe(Date.parse(readManifest(folder)?.made_at ?? ""));
  });
});

test("what a restore could not count stays unknown where it is repeated", async () => {
  const { folder } = await backedUp();
  const elsewhere = join(scratchFolder(), "new");
  for (let repeated = 0; repeated < 2; repeated += 1) await restore(folder, elsewhere);
  await withData(elsewhere, (_service, database) => {
    expect(lastRestore(database)).toMatchObject({ last_job_id: 0, open_attempts: 0, lost_attempts: null });
  });
});

test("what waited for people who had blocked the bot is tried again: they may have let it write since", async () => {
  const dataDir = await dataFolder();
  await withData(dataDir, async (_service, database) => {
    await botWorldOn(database, createManualClock(), dataDir).finishedOrder("a");
    const parked = { state: "parked", next_try_at: integer(1) } as const;
    await database.write("test", (tx) => table("delivery").update(tx, { order_id: "a" }, parked));
  });
  const folder = join(scratchFolder(), "backup");
  await backUp(dataDir, folder);
  await restore(folder, dataDir);
  await withData(dataDir, (_service, database) => {
    expect(table("delivery").all(database, {})).toMatchObject([{ state: "pending", next_try_at: 1 }]);
  });
});

const SUMS = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8");
const cut = (path: string, part: number) => (folder: string) =>
  truncateSync(join(folder, path), Math.floor(statSync(join(folder, path)).size * part));

const lying = (words: string) => (folder: string) => {
  const bytes = Buffer.from(words.repeat(300));
  writeFileSync(join(folder, "atelier.db"), bytes);
  const sum = createHash("sha256").update(bytes).digest("hex");
  resum(folder, SUMS(folder).replace(/\w{64}(?= {2}atelier\.db)/, sum));
};

test.each<[string, (folder: string) => void, RegExp]>([
  ["of an empty folder", (folder) => rmSync(join(folder, "manifest.json")), /is no whole backup/],
  [
    "that is a file",
    (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
    },
    /manifest\.json cannot be read/,
  ],
  ["whose manifest is cut", cut("manifest.json", 0.5), /is no whole backup/],
  [
    "of a newer schema",
    (folder) => change(folder, { schema: 9999, program: "9.0" }),
    /newer version 9\.0 \(schema 9999/,
  ],
  ["of a newer form", (folder) => change(folder, { version: 2 }), /made by the newer version/],
  ["whose database is cut", cut("atelier.db", 0.99), /atelier\.db is not what was written/],
  ["whose sums are cut", cut("SHA256SUMS", 0.5), /SHA256SUMS is not what was written/],
  [
    "that lacks a file",
    (folder) => rmSync(join(folder, "media/files/ef/01/ef012.mp4")),
    /ef012\.mp4 cannot be read/,
  ],
  [
    "without a database",
    (folder) => resum(folder, SUMS(folder).replace(/.*atelier\.db\n/, "")),
    /manifest\.json is not/,
  ],
  [
    "with a path out of it",
    (folder) => resum(folder, `${SUMS(folder)}${"0".repeat(64)}  media/files/../../../../etc/passwd\n`),
    /SHA256SUMS is not what was written/,
  ],
  [
    "with a file of another kind",
    (folder) => resum(folder, `${SUMS(folder)}${"0".repeat(64)}  service.lock\n`),
    /SHA256SUMS is not what was written/,
  ],
  [
    "with a link out of it",
    (folder) => {
      const file = join(folder, "media/files/ef/01/ef012.mp4");
      renameSync(file, `${folder}-moved.mp4`);
      symlinkSync(`${folder}-moved.mp4`, file);
    },
    /ef012\.mp4 is not what was written/,
  ],
  [
    "with a folder behind a link",
    (folder) => {
      renameSync(join(folder, "media/files"), join(folder, "elsewhere"));
      symlinkSync(join(folder, "elsewhere"), join(folder, "media/files"));
    },
    /media\/files is not what was written/,
  ],
  [
    "of a moment to come",
    (folder) => change(folder, { made_at: "2999-01-01T00:00:00Z" }),
    /yet to come: set/,
  ],
  ["whose database lies although its sum is right", lying("not a database"), /is damaged: atelier\.db/],
  ["whose database is empty and its sum right", lying(""), /atelier\.db: it has schema 0, not \d+/],
])("a backup %s is refused in one line, and nothing is changed", async (_what, spoil, told) => {
  const { dataDir, folder } = await backedUp();
  await restore(folder, join(scratchFolder(), "it-was-whole"));
  spoil(folder);
  const before = snapshot(dataDir);
  const fault = await restore(folder, dataDir).catch((error: Error) => error);
  expect(fault).toBeInstanceOf(Error);
  expect((fault as Error).message).toMatch(told);
  expect((fault as Error).message).not.toContain("\n");
  expect(snapshot(dataDir).filter((line) => !line.startsWith("service.lock"))).toEqual(before);
});

test("balances that do not match their entries are not restored", async () => {
  const { dataDir, folder } = await backedUp();
  const other = `${folder}-other`;
  cpSync(dataDir, other, { recursive: true });
  const db = new Sqlite(join(other, "atelier.db"));
  db.exec("DROP TRIGGER account_balance_is_last_entry; UPDATE account SET balance = 7");
  db.close();
  await backUp(other, `${folder}-lying`);
  await expect(restore(`${folder}-lying`, dataDir)).rejects.toThrow("1 balances do not match their entries");
  expect(await balanceIn(dataDir)).toBe(10_000);
});

const MOVES = [
  "old atelier.db",
  "old link.secret",
  "old media",
  "new atelier.db",
  "new link.secret",
  "new media",
];

test.each(MOVES.map((_move, count) => count).concat(MOVES.length))(
  "a restore that is killed after %d of its moves is finished by the next start, and tools wait for that",
  async (count) => {
    const root = scratchFolder();
    const names = ["atelier.db", "link.secret", "media"] as const;
    for (const name of names) {
      put(root, name, `old ${name}`);
      put(root, `.restore-1/${name}`, `new ${name}`);
    }
    mkdirSync(join(root, "before-restore-1"));
    beginSwap(root, { stage: ".restore-1", aside: "before-restore-1", old: [...names] });
    for (const move of MOVES.slice(0, count)) {
      const [which = "", name = ""] = move.split(" ");
      const [from, to] = which === "old" ? [".", "before-restore-1"] : [".restore-1", "."];
      renameSync(join(root, from, name), join(root, to, name));
    }
    expect(isSwapping(root)).toBe(true);
    expect(() => openDatabase({ dataDir: root }, "tool")).toThrow(/^DATA_DIR: a restore was interrupted/);
    expect(finishSwap(root)).toBe(join(root, "before-restore-1"));
    for (const name of names) {
      expect(readFileSync(join(root, name), "utf8")).toBe(`new ${name}`);
      expect(readFileSync(join(root, "before-restore-1", name), "utf8")).toBe(`old ${name}`);
    }
    expect(readdirSync(root).sort()).toEqual(["atelier.db", "before-restore-1", "link.secret", "media"]);
    expect(finishSwap(root)).toBeUndefined();
  },
);
