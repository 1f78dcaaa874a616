import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { StorageUnavailable } from "../../src/media/disk.js";
import { MediaStore } from "../../src/media/media-store.js";
import { systemIds } from "../../src/platform/ids.js";
import { createFickleDisk } from "../support/fickle-disk.js";
import { newFolder } from "../support/new-folder.js";

function newStore(failPoint = (_name: string, _disk: ReturnType<typeof createFickleDisk>) => {}) {
  const directory = newFolder();
  const disk = createFickleDisk();
  const store = new MediaStore(disk, directory, join(directory, "tmp"), systemIds, (name) =>
    failPoint(name, disk),
  );
  const add = (content: string) => {
    const file = join(directory, "made.webp");
    writeFileSync(file, content);
    return store.add(file, "image/webp");
  };
  return { store, disk, directory, add };
}

async function contentOf(store: MediaStore, name: string, range?: { start: number; end: number }) {
  const stream = await store.open(name, range);
  return stream && text(stream);
}

async function namesIn(store: MediaStore) {
  const names: string[] = [];
  for await (const { name } of store.list()) names.push(name);
  return names.sort();
}

test("a file is moved into the store, waits for its row, and is read whole or by range", async () => {
  const { store, directory, add } = newStore();
  const [red, blue] = [await add("a red fox"), await add("a blue fox")];
  expect([red.size, blue.size]).toEqual([9, 10]);
  expect(await contentOf(store, red.name)).toBe("a red fox");
  expect(await contentOf(store, blue.name, { start: 2, end: 5 })).toBe("blue");
  expect(await namesIn(store)).toEqual([red.name, blue.name].sort());
  expect((await readdir(directory)).includes("made.webp")).toBe(false);
  store.release([red]);
  expect([store.isAwaitingRow(red.name), store.isAwaitingRow(blue.name)]).toEqual([false, true]);
});

test("a removed file is gone, removing a missing one succeeds, and an open one is read to its end", async () => {
  const { store, add } = newStore();
  const { name } = await add("a red fox");
  const open = await store.open(name);
  for (const each of [name, "absent.webp"]) await store.remove(each);
  expect(await contentOf(store, name)).toBeUndefined();
  expect(open && (await text(open))).toBe("a red fox");
});

test("the time of a file is when it was stored, and undefined after its removal", async () => {
  const { store, add } = newStore();
  const before = Date.now() - 1000;
  await add("a red fox");
  for await (const entry of store.list()) {
    expect(await entry.changedAt()).toBeGreaterThan(before);
    await store.remove(entry.name);
    expect(await entry.changedAt()).toBeUndefined();
  }
});

test("a file whose folder cannot be synced counts as not stored, and waits for no row", async () => {
  const { store, add } = newStore((name, disk) => {
    if (name === "media:after-rename") disk.broken.set("sync", "EIO");
  });
  await expect(add("a red fox")).rejects.toThrow(StorageUnavailable);
  expect((await namesIn(store)).map((name) => store.isAwaitingRow(name))).toEqual([false]);
});

test("an empty file is no result", async () => {
  await expect(newStore().add("")).rejects.toThrow("the result is empty");
});
