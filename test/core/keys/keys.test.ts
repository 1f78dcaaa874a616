import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { KeyCheck, LIVING_KEYS_MAX } from "../../../src/accounts/key-store.js";
import { createAdminService } from "../../../src/core/admin-service.js";
import { Database } from "../../../src/database/database.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { groundOf } from "../../support/ground.js";
import { recordingLogger, silentLogger } from "../../support/log.js";

const ANN = { id: 1, name: "Ann" };
const BOB = { id: 2, name: "Bob" };

let world: TestCore;
let check: KeyCheck;
beforeEach(() => {
  world = openTestCore();
  check = new KeyCheck(groundOf({ ...world, logger: silentLogger() }));
});

async function newKey(user = ANN) {
  const made = await world.core.accounts.keys.create(user, null);
  if (!made) throw new Error("the account has too many keys");
  return made;
}

/** The moment of last use, as the list shows it. */
async function lastUse(): Promise<number | null | undefined> {
  const [key] = await world.core.accounts.keys.living(ANN);
  return key?.last_used_at;
}

test("a key has 256 random bits after a readable prefix, and is stored as its hash only", async () => {
  const { key } = await newKey();
  const [row] = await world.core.accounts.keys.living(ANN);
  expect(key).toMatch(/^atl_[\w-]{8}_[\w-]{43}$/);
  expect((await newKey()).key).not.toBe(key);
  expect(row).toMatchObject({ id: 1, prefix: key.slice(0, 12), name: null, last_used_at: null });
  const stored = ["atelier.db", "atelier.db-wal"]
    .map((name) => readFileSync(join(world.directory, name), "latin1"))
    .join("");
  expect(stored).not.toContain(key.slice(12));
  expect(stored).toContain(createHash("sha256").update(key).digest("hex"));
});

describe("revoking a key", () => {
  test("takes effect at the next request, once, and only for the owner", async () => {
    const { key, id } = await newKey();
    expect(await world.core.accounts.keys.revoke(BOB, id)).toBe(false);
    expect(check.authenticate(key)).toBeDefined();
    expect(await world.core.accounts.keys.revoke(ANN, id)).toBe(true);
    expect(check.authenticate(key)).toBeUndefined();
    expect(await world.core.accounts.keys.revoke(ANN, id)).toBe(false);
    expect(await world.core.accounts.keys.revoke(ANN, 99)).toBe(false);
    expect(await world.core.accounts.keys.living(ANN)).toEqual([]);
  });

  test("in another process takes effect at the next request", async () => {
    const { key, id } = await newKey();
    expect(check.authenticate(key)).toBeDefined();
    const beside = Database.open({
      file: join(world.directory, "atelier.db"),
      role: "tool",
    });
    const adminService = createAdminService(beside, world.clock);
    const at = await adminService.revokeKey(id);
    expect(check.authenticate(key)).toBeUndefined();
    await world.clock.advance(1000);
    expect(await adminService.revokeKey(id)).toBe(at);
    await beside.close();
  });
});

test("a person has a limited number of active keys, and a revoked one makes room", async () => {
  const keys = [];
  for (let n = 0; n < LIVING_KEYS_MAX; n += 1) keys.push(await newKey());
  expect(await world.core.accounts.keys.create(ANN, "one more")).toBeUndefined();
  await newKey(BOB);
  await world.core.accounts.keys.revoke(ANN, keys[3]?.id ?? 0);
  expect(await world.core.accounts.keys.create(ANN, "one more")).toBeDefined();
  const living = await world.core.accounts.keys.living(ANN);
  expect(living.at(-1)?.name).toBe("one more");
  expect(living.map(({ id }) => id)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 12]);
});

describe("the last use of a key", () => {
  test("is written at most once a minute, and no request waits for it", async () => {
    const { key } = await newKey();
    await newKey();
    const first = world.clock.now();
    for (let n = 0; n < 50; n += 1) check.authenticate(key);
    expect(await lastUse()).toBeNull();
    await eventually("the first use", async () => (await lastUse()) === first);
    // The other key was not used.
    const uses = (await world.core.accounts.keys.living(ANN)).map(({ last_used_at }) => last_used_at);
    expect(uses).toEqual([first, null]);
    await world.clock.advance(59_999);
    check.authenticate(key);
    await world.database.write("after whatever was queued", () => {});
    expect(await lastUse()).toBe(first);
    await world.clock.advance(1);
    check.authenticate(key);
    await eventually("the second use", async () => (await lastUse()) === first + 60_000);
  });

  test("that cannot be written fails no request, and is retried a minute later", async () => {
    const { key } = await newKey();
    const { logger, lines } = recordingLogger();
    let writes = 0;
    const failing = Object.assign(Object.create(world.database) as Database, {
      first: world.database.first.bind(world.database),
      write: () => {
        writes += 1;
        return Promise.reject(new Error("disk full"));
      },
    });
    const broken = new KeyCheck(groundOf({ database: failing, clock: world.clock, logger }));
    for (let n = 0; n < 5; n += 1) expect(broken.authenticate(key)).toBeDefined();
    await eventually("the failure", () => lines.length > 0);
    expect(broken.authenticate(key)).toBeDefined();
    expect(writes).toBe(1);
    await world.clock.advance(60_000);
    broken.authenticate(key);
    expect(writes).toBe(2);
    expect(JSON.stringify(lines)).not.toContain(key);
  });
});
