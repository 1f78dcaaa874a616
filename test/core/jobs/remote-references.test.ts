import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { remoteReferences } from "../../../src/jobs/reference-fetcher.js";
import { nodeMediaDisk, StorageUnavailable } from "../../../src/media/disk.js";
import { REFERENCE_BYTES_MAX } from "../../../src/media/reference-store.js";
import { systemClock } from "../../../src/platform/clock.js";
import { createGuardedFetch } from "../../../src/platform/guarded-fetch.js";
import { bigPng } from "../../support/big-png.js";
import { IMAGE, openTestCore, order } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { createFickleDisk } from "../../support/fickle-disk.js";
import { LOOPBACK_INTERNET, startHttpsServer } from "../../support/https-server.js";
import { createManualClock } from "../../support/manual-clock.js";
import { newFolder } from "../../support/new-folder.js";
import { PNG } from "../../support/picture.js";

/** Reads one reference from a server that answers like this. */
async function readFrom(answer: RequestListener, clock = systemClock, disk = nodeMediaDisk) {
  const { origin } = await startHttpsServer(answer);
  const directory = newFolder();
  const read = remoteReferences(createGuardedFetch({ clock, ...LOOPBACK_INTERNET }), disk);
  return read({ link: `${origin}/a.png`, acceptedAt: 0, directory, index: 1 }, new AbortController().signal);
}

describe("a picture at another address", () => {
  test("is stored in the task's directory, whatever name its server gives it", async () => {
    const path = await readFrom((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(PNG);
    });
    expect(path).toMatch(/reference-1$/);
    expect(await readFile(path)).toEqual(PNG);
  });

  test.each([
    ["a page", "<!doctype html>", "it is no PNG, JPEG or WebP picture"],
    ["400 megapixels", bigPng({ width: 20_000, height: 20_000 }), "it has more than 64 megapixels"],
  ])(
    "that begins as %s is rejected by its first bytes, and the rest is not read",
    async (_what, begin, why) => {
      let isClosed = false;
      const reading = readFrom((_request, response) => {
        response.on("close", () => {
          isClosed = true;
        });
        response.setHeader("content-type", "image/png");
        response.write(begin);
      });
      await expect(reading).rejects.toMatchObject({
        name: "UnreadableReferenceError",
        message: `Reference picture 2 could not be read: ${why}.`,
      });
      await eventually("the connection is closed", () => isClosed);
    },
  );

  test("of more than 64 megapixels is rejected also where its size stands behind 64 KB of a profile", async () => {
    const segment = Buffer.alloc(60_004);
    segment.writeUInt32BE(0xff_e2_00_00 + 60_002);
    const frame = Buffer.from("ffc0000b08ffffffff01011100", "hex");
    const reading = readFrom((_request, response) => {
      response.end(Buffer.concat([Buffer.from("ffd8", "hex"), segment, segment, frame]));
    });
    await expect(reading).rejects.toMatchObject({
      message: "Reference picture 2 could not be read: it has more than 64 megapixels.",
    });
  });

  test("is read up to 20 MB, and a larger one is rejected", async () => {
    const rest = Buffer.alloc(REFERENCE_BYTES_MAX - PNG.length);
    const path = await readFrom((_request, response) => {
      response.write(PNG);
      response.end(rest);
    });
    expect((await nodeMediaDisk.stat(path)).size).toBe(REFERENCE_BYTES_MAX);
    const reading = readFrom((_request, response) => {
      response.write(PNG);
      response.write(rest);
      response.end("x");
    });
    await expect(reading).rejects.toThrow("Reference picture 2 could not be read: it is too large.");
  });

  test("whose server sends too slowly fails after 20 s", async () => {
    const clock = createManualClock();
    let isAsked = false;
    const reading = readFrom((_request, response) => {
      response.write(PNG);
      isAsked = true;
    }, clock);
    const outcome = expect(reading).rejects.toThrow(
      "Reference picture 2 could not be read: the server sent it too slowly.",
    );
    await eventually("a request", () => isAsked);
    await clock.advance(21_000);
    await outcome;
  });

  test("whose server waits 20 s before it sends is read", async () => {
    const clock = createManualClock();
    let send = () => {};
    let isAsked = false;
    const reading = readFrom((_request, response) => {
      isAsked = true;
      send = () => response.end(PNG);
    }, clock);
    await eventually("a request", () => isAsked);
    // The first second of the least rate begins after these.
    await clock.advance(20_999);
    send();
    expect(await readFile(await reading)).toEqual(PNG);
  });

  test("that does not fit on the disk is a storage failure, not a failure of the picture", async () => {
    const disk = createFickleDisk();
    disk.broken.set("write", "ENOSPC");
    const reading = readFrom((_request, response) => response.end(PNG), systemClock, disk);
    await expect(reading).rejects.toBeInstanceOf(StorageUnavailable);
  });
});

test("a job gets the same error for an internal host name as for one that does not exist", async () => {
  const names: Record<string, readonly string[] | undefined> = {
    "internal.example.com": ["10.0.0.7"],
    "loopback.example.com": ["127.0.0.1", "::1"],
    "half.example.com": ["93.184.216.34", "192.168.1.1"],
    "absent.example.com": [],
  };
  const resolveName = async (name: string) => {
    const addresses = names[name];
    if (!addresses) throw new Error("SERVFAIL");
    return addresses;
  };
  const fetch = createGuardedFetch({ clock: systemClock, resolveName });
  const world = openTestCore({ readReference: remoteReferences(fetch, nodeMediaDisk) });
  const ann = await world.begun(100_00);
  const errors = new Set<string | null>();
  for (const name of [...Object.keys(names), "broken.example.com"]) {
    const { job_id } = await order(ann, name, { ...IMAGE, reference_urls: [`https://${name}/a.png`] });
    errors.add((await world.ended(ann, job_id)).error);
  }
  expect([...errors]).toEqual([
    "Reference picture 1 could not be read: the server was not found on the public internet.",
  ]);
});
