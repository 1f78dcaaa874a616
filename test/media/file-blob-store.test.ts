import { mkdtempSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { StorageUnavailable } from "../../src/media/disk.js";
import { FileBlobStore } from "../../src/media/file-blob-store.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { createFickleDisk } from "../support/fickle-disk.js";

function newStore() {
  const directory = mkdtempSync(join(tmpdir(), "atelier-blobs-"));
  const disk = createFickleDisk();
  const draftDirectory = join(directory, "tmp");
  const store = new FileBlobStore(disk, directory, draftDirectory, systemIds, noFailPoint);
  return { store, disk, directory, draftDirectory };
}

async function* bytesOf(content: string) {
  yield Buffer.from(content.slice(0, 3));
  yield Buffer.from(content.slice(3));
}

async function contentOf(store: FileBlobStore, name: string, range?: { start: number; end: number }) {
  const stream = await store.open(name, range);
  return stream && text(stream);
}

async function namesIn(store: FileBlobStore) {
  const names: string[] = [];
  for await (const { name } of store.list()) names.push(name);
  return names.sort();
}

test("a blob is stored from a file, which is moved, or from bytes, and read whole or by range", async () => {
  const { store, directory, draftDirectory } = newStore();
  const file = join(directory, "made.webp");
  writeFileSync(file, "a red fox");
  expect(await store.put("aabb.webp", file)).toEqual({ size: 9 });
  expect(await store.put("ccdd.webp", bytesOf("a blue fox"))).toEqual({ size: 10 });
  expect(await contentOf(store, "aabb.webp")).toBe("a red fox");
  expect(await contentOf(store, "ccdd.webp", { start: 2, end: 5 })).toBe("blue");
  expect(await namesIn(store)).toEqual(["aabb.webp", "ccdd.webp"]);
  expect(await readdir(draftDirectory)).toEqual([]);
  expect((await readdir(directory)).includes("made.webp")).toBe(false);
});

test("a deleted blob is gone, deleting a missing one succeeds, and an open one is read to its end", async () => {
  const { store } = newStore();
  await store.put("aabb.webp", bytesOf("a red fox"));
  const open = await store.open("aabb.webp");
  await store.delete(["aabb.webp", "absent.webp"]);
  expect(await contentOf(store, "aabb.webp")).toBeUndefined();
  expect(open && (await text(open))).toBe("a red fox");
});

test("the time of a blob is when it was stored, and undefined after its deletion", async () => {
  const { store } = newStore();
  const before = Date.now() - 1000;
  await store.put("aabb.webp", bytesOf("a red fox"));
  for await (const entry of store.list()) {
    expect(await entry.changedAt()).toBeGreaterThan(before);
    await store.delete([entry.name]);
    expect(await entry.changedAt()).toBeUndefined();
  }
});

test.each([
  ["write", "ENOSPC"],
  ["makeDirectory", "EACCES"],
  ["sync", "EIO"],
  ["rename", "EROFS"],
] as const)(
  "a %s that fails with %s throws StorageUnavailable and leaves no file",
  async (operation, code) => {
    const { store, disk, draftDirectory } = newStore();
    disk.broken.set(operation, code);
    await expect(store.put("aabb.webp", bytesOf("a red fox"))).rejects.toThrow(StorageUnavailable);
    disk.broken.clear();
    expect(await namesIn(store)).toEqual([]);
    expect(await readdir(draftDirectory).catch(() => [])).toEqual([]);
  },
);

test("a source that fails rethrows its own error and leaves no file", async () => {
  const { store, draftDirectory } = newStore();
  const breaking = async function* () {
    yield Buffer.from("half");
    throw new Error("the sender went away");
  };
  await expect(store.put("aabb.webp", breaking())).rejects.toThrow("the sender went away");
  expect([await namesIn(store), await readdir(draftDirectory)]).toEqual([[], []]);
});

test("a check passes, leaves no file, and fails where writing fails or space is low", async () => {
  const { store, disk } = newStore();
  await store.check();
  expect(await namesIn(store)).toEqual([]);
  disk.free = 1024;
  await expect(store.check()).rejects.toThrow(StorageUnavailable);
  await expect(store.requireSpace()).rejects.toThrow(StorageUnavailable);
  disk.free = 2 ** 40;
  disk.broken.set("rename", "EROFS");
  await expect(store.check()).rejects.toThrow(StorageUnavailable);
});
