import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { nodeMediaDisk } from "../../src/media/disk.js";
import { MUSIC, openTestCore, order, quote, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { open, rawAnswer, refusal, startServer } from "./harness.js";

let world: TestCore;

const CONTENT = Buffer.from(Array.from({ length: 100_000 }, (_, place) => place % 251));

/** A stored file of 100 000 bytes behind a server, and the ways to ask for it. */
async function serveTrack() {
  const opened: Readable[] = [];
  const mediaDisk: typeof nodeMediaDisk = {
    ...nodeMediaDisk,
    open: async (path, range) => {
      const stream = await nodeMediaDisk.open(path, range);
      opened.push(stream);
      return stream;
    },
  };
  world = openTestCore({ mediaDisk });
  await world.core.start();
  world.provider.make = async ({ directory }) => {
    const path = `${directory}/track.mp3`;
    await nodeMediaDisk.write(path, [CONTENT]);
    return [{ path, mime: "audio/mpeg" }];
  };
  const ann = await world.person(1, quote(MUSIC).totalKopecks);
  const { job_id } = await order(ann, "one", MUSIC);
  const link = new URL((await world.ended(ann, job_id)).result?.url ?? "");
  const { url } = await startServer({ files: world.core.routes.files });
  const address = `${url}${link.pathname}${link.search}`;
  const ask = (headers: Record<string, string>, method = "GET") => fetch(address, { method, headers });
  return { ask, address, url, link, opened };
}

async function bytesOf(answer: Response): Promise<Buffer> {
  return Buffer.from(await answer.arrayBuffer());
}

describe("a range of a file", () => {
  test.each([
    ["bytes=0-99", 0, 99],
    ["bytes=99990-200000", 99_990, 99_999],
  ])("%s is sent and read alone", async (range, start, end) => {
    const { ask, opened } = await serveTrack();
    const answer = await ask({ range });
    expect(answer.status).toBe(206);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-range": `bytes ${start}-${end}/100000`,
      "content-length": String(end - start + 1),
      "content-type": "audio/mpeg",
      "content-disposition": 'inline; filename="atelier-1.mp3"',
      "cache-control": expect.stringMatching(/^private, max-age=\d+, immutable$/),
      "accept-ranges": "bytes",
    });
    expect(await bytesOf(answer)).toEqual(CONTENT.subarray(start, end + 1));
    expect(opened.map((stream) => Reflect.get(stream, "bytesRead"))).toEqual([end - start + 1]);
  });

  test("beyond the end is rejected with the size, and nothing is read", async () => {
    const { ask, opened } = await serveTrack();
    const answer = await ask({ range: "bytes=100000-" });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([416, "bytes */100000"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toEqual(refusal("range_not_satisfiable"));
    expect(opened.map((stream) => [Reflect.get(stream, "bytesRead"), stream.destroyed])).toEqual([[0, true]]);
  });

  test("supports a player: the head, the end, then on from the sought position", async () => {
    const { ask } = await serveTrack();
    const head = await ask({ range: "bytes=0-" });
    const etag = head.headers.get("etag") ?? "";
    expect([head.status, head.headers.get("content-range")]).toEqual([206, "bytes 0-99999/100000"]);
    // A player reads a little of it, and moves.
    const reader = head.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const pieces = await Promise.all(
      ["bytes=99000-", "bytes=40000-49999", "bytes=50000-59999"].map(async (range) =>
        bytesOf(await ask({ range, "if-range": etag })),
      ),
    );
    expect(pieces).toEqual([
      CONTENT.subarray(99_000),
      CONTENT.subarray(40_000, 50_000),
      CONTENT.subarray(50_000, 60_000),
    ]);
  });

  test.each(['"another"', "Wed, 21 Oct 2026 07:28:00 GMT"])(
    "gives the whole file where If-Range is %j",
    async (ifRange) => {
      const { ask } = await serveTrack();
      const answer = await ask({ range: "bytes=0-9", "if-range": ifRange });
      expect(answer.status).toBe(200);
      expect(await bytesOf(answer)).toEqual(CONTENT);
    },
  );

  test("is ignored by a HEAD", async () => {
    const { ask, opened } = await serveTrack();
    const answer = await ask({ range: "bytes=0-9" }, "HEAD");
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, "100000"]);
    expect(answer.headers.get("accept-ranges")).toBe("bytes");
    expect(opened.map((stream) => [Reflect.get(stream, "bytesRead"), stream.destroyed])).toEqual([[0, true]]);
  });
});

describe("a cached file", () => {
  test.each(["GET", "HEAD"])("is not sent again to a %s", async (method) => {
    const { ask, opened } = await serveTrack();
    const etag = (await ask({}, "HEAD")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    const answer = await ask({ "if-none-match": etag, range: "bytes=0-9" }, method);
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([304, etag, ""]);
    expect(answer.headers.get("cache-control")).toMatch(/^private, max-age=\d+, immutable$/);
    expect(opened.every((stream) => stream.destroyed)).toBe(true);
    expect((await ask({ "if-none-match": '"another"' }, method)).status).toBe(200);
  });

  test("is not confirmed without a valid link", async () => {
    const { ask, address } = await serveTrack();
    const etag = (await ask({}, "HEAD")).headers.get("etag") ?? "";
    const forged = await fetch(`${address}x`, { headers: { "if-none-match": etag, range: "bytes=0-9" } });
    expect([forged.status, forged.headers.get("etag")]).toEqual([403, null]);
    await world.clock.advance(60 * 60 * 1000);
    const old = await ask({ "if-none-match": etag });
    expect([old.status, await old.json()]).toEqual([403, refusal("link_expired")]);
  });
});

test.each(["/files/", "/files/%2e%2e", "/files/..%2f..%2fatelier.db", "/files/..\\atelier.db"])(
  "%s lists nothing and redirects nowhere",
  async (path) => {
    const { url, link } = await serveTrack();
    // fetch would resolve the points of a path by itself.
    const bytes = `GET ${path}${link.search} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
    expect(await rawAnswer(url, bytes)).toMatch(/^HTTP\/1\.1 40[34] /);
  },
);

describe("a client that disconnects", () => {
  test("in the middle of a file leaves no stream open", async () => {
    const file = open("", {
      size: 1e9,
      stream: new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      }),
    });
    const { url } = await startServer({ files: async () => file });
    const asking = request(`${url}/files/a?signature=x`).end();
    const [answer] = await once(asking, "response");
    await once(answer, "readable");
    asking.destroy();
    await eventually("the file is closed", () => file.file.stream.destroyed);
  });

  test("before the file is open leaves no stream open", async () => {
    const file = open("a fox");
    const opening = Promise.withResolvers<typeof file>();
    let isAsked = false;
    const { url } = await startServer({
      files: () => {
        isAsked = true;
        return opening.promise;
      },
    });
    const asking = request(`${url}/files/a?signature=x`)
      .on("error", () => {})
      .end();
    await eventually("a request", () => isAsked);
    asking.destroy();
    await eventually("the connection is closed", () => asking.closed);
    opening.resolve(file);
    await eventually("the file is closed", () => file.file.stream.destroyed);
  });
});
