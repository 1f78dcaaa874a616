import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { type DownloadOptions, openDownload, requestPart } from "../../src/transfer/file-request.js";
import { advancedUntilEnd } from "../support/advanced-until-end.js";
import { eventually } from "../support/eventually.js";
import { reset } from "../support/faulty-service.js";
import { expectOutcome, FRAMINGS, readSlowly, startHostileHost } from "../support/hostile-host.js";
import { startHttpServer } from "../support/http-server.js";
import { createManualClock } from "../support/manual-clock.js";

/** Milliseconds without a byte, after which a host is asked anew. */
const SILENCE_MAX_MS = 20_000;
const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, place) => place % 251));

interface HostChange extends Partial<Omit<DownloadOptions, "freshLink">> {
  freshLink?: (origin: string) => Promise<string>;
}

/** A host of files, and a download from it on a clock that stands still. */
async function openHost(answer: RequestListener, change: HostChange = {}) {
  const { requests, origin } = await startHttpServer(answer);
  const clock = createManualClock();
  const agent = openAgent({});
  onTestFinished(() => void agent.destroy());
  let links = 0;
  const options: DownloadOptions = {
    agent,
    clock,
    isHttpAllowed: true,
    bytesMax: 1_000_000,
    ...change,
    freshLink: async () => {
      links += 1;
      return change.freshLink?.(origin) ?? `${origin}/file?sig=${links}`;
    },
  };
  return {
    clock,
    startedAt: clock.now(),
    requests,
    open: () => openDownload(options),
    request: () => requestPart(options, 0, undefined),
    read: async () => buffer((await openDownload(options)).stream),
    /** Lets pauses pass while a download goes on. */
    finish: <T>(work: Promise<T>) => advancedUntilEnd(clock, work),
    /** Lets all the time pass that is given to each of the next `count` requests, once it came. */
    async finishSilent<T>(work: Promise<T>, count: number): Promise<T> {
      work.catch(() => {});
      for (let number = 1; number <= count; number += 1) {
        await eventually(`request ${number}`, async () => {
          if (requests.length < number) await clock.advance(100);
          return requests.length >= number;
        });
        await clock.advance(SILENCE_MAX_MS);
      }
      return this.finish(work);
    },
  };
}

test("a file is streamed whole, from a fresh link, without a key", async () => {
  const host = await openHost((_request, response) => {
    response.writeHead(200, { "content-type": "Image/WebP; x=1", "content-length": FILE.length }).end(FILE);
  });
  const { stream, size, mime } = await host.open();
  expect([size, mime]).toEqual([FILE.length, "image/webp"]);
  expect((await buffer(stream)).equals(FILE)).toBe(true);
  expect(host.requests.map(({ url }) => url)).toEqual(["/file?sig=1"]);
  expect(host.requests[0]?.headers.authorization).toBeUndefined();
});

test.each([true, false])(
  "a broken file goes on where it broke (host knows ranges: %s)",
  async (knowsRanges) => {
    let turn = 0;
    const host = await openHost((request, response) => {
      turn += 1;
      const start = knowsRanges ? Number(/\d+/.exec(request.headers.range ?? "0")) : 0;
      const rest = FILE.subarray(start);
      const range = { "content-range": `bytes ${start}-${FILE.length - 1}/${FILE.length}` };
      response.writeHead(start > 0 ? 206 : 200, {
        etag: '"a"',
        "content-length": rest.length,
        ...(start > 0 && range),
      });
      if (turn > 3) response.end(rest);
      else response.write(rest.subarray(0, 20_000 * turn), () => setImmediate(() => reset(request)));
    });
    expect((await host.finish(host.read())).equals(FILE)).toBe(true);
    expect(host.requests).toHaveLength(knowsRanges ? 3 : 4);
    expect(new Set(host.requests.map(({ url }) => url)).size).toBe(host.requests.length);
  },
);

test("the rest of another file is not taken", async () => {
  let turn = 0;
  const host = await openHost((request, response) => {
    turn += 1;
    response.writeHead(200, { etag: `"${turn}"`, "content-length": FILE.length });
    response.write(FILE.subarray(0, 1000), () => setImmediate(() => reset(request)));
  });
  await expect(host.finish(host.read())).rejects.toMatchObject({ name: "DownloadError" });
  expect(turn).toBe(2);
});

test("an expired link means one more, and no third", async () => {
  const host = await openHost((request, response) => {
    if (request.url === "/file?sig=1") response.writeHead(403).end();
    else response.end(FILE);
  });
  expect((await host.read()).equals(FILE)).toBe(true);
  const gone = await openHost((_request, response) => void response.writeHead(403).end());
  await expect(gone.read()).rejects.toMatchObject({ fault: "gone" });
  expect(gone.requests).toHaveLength(2);
});

test("links that expire three times in a row end in the file within seconds", async () => {
  const answer: RequestListener = (_request, response) => {
    if (host.requests.length <= 3) response.writeHead(403).end();
    else response.end(FILE);
  };
  const host = await openHost(answer, { expiredMax: 5 });
  const read = host.read();
  await eventually("the second link", () => host.requests.length === 2);
  while (host.requests.length < 4) await host.clock.advance(500);
  expect((await read).equals(FILE)).toBe(true);
  expect(host.clock.now() - host.startedAt).toBeLessThan(10_000);
});

test("redirects are followed without a key; http is refused where the service is called by https", async () => {
  const host = await openHost((request, response) => {
    if (request.url?.startsWith("/file")) response.writeHead(302, { location: "/there" }).end();
    else response.end(FILE);
  });
  expect((await host.read()).equals(FILE)).toBe(true);
  expect(host.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  const strict = await openHost((_request, response) => void response.end(FILE), { isHttpAllowed: false });
  await expect(strict.read()).rejects.toMatchObject({ fault: "forbidden_link" });
  expect(strict.requests).toEqual([]);
  const looping = await openHost((_request, response) => {
    response.writeHead(302, { location: "/file" }).end();
  });
  await expect(looping.read()).rejects.toMatchObject({ fault: "gone" });
});

test.each(["file:///etc/passwd", "", "https://"])("%j is no link", async (link) => {
  const host = await openHost(() => {}, { freshLink: async () => link });
  await expect(host.read()).rejects.toMatchObject({ fault: "forbidden_link" });
});

test.each([true, false])("a file above the cap is cut off (it says so: %s)", async (saysSo) => {
  const host = await openHost(
    (_request, response) => {
      response.writeHead(200, saysSo ? { "content-length": FILE.length } : {}).end(FILE);
    },
    { bytesMax: 50_000 },
  );
  await expect(host.read()).rejects.toMatchObject({ fault: "too_large" });
  expect(host.requests).toHaveLength(1);
});

test("a host that brings no byte for 20 s is asked anew, and not for ever", async () => {
  let turn = 0;
  const host = await openHost((_request, response) => {
    turn += 1;
    response.writeHead(200, { "content-length": FILE.length });
    if (turn === 1) response.flushHeaders();
    else response.end(FILE);
  });
  expect((await host.finishSilent(host.read(), 1)).equals(FILE)).toBe(true);
  const dead = await openHost((_request, response) => void response.writeHead(502).end());
  await expect(dead.finish(dead.read())).rejects.toMatchObject({ fault: "unreachable" });
  expect(dead.requests).toHaveLength(5);
  const empty = await openHost((_request, response) => {
    response.writeHead(200, { "content-length": FILE.length }).flushHeaders();
  });
  await expect(empty.finishSilent(empty.read(), 5)).rejects.toMatchObject({ fault: "unreachable" });
  expect(empty.requests).toHaveLength(5);
});

test("the pauses of a reader do not count as those of the host", async () => {
  const file = Buffer.alloc(900_000, 7);
  const host = await openHost(
    (_request, response) => {
      response.writeHead(200, { "content-length": file.length }).end(file);
    },
    { bytesPerSecMin: 16 * 1024 },
  );
  const { stream } = await host.open();
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // What the host has sent is there before time goes on.
    await setTimeout(5);
    await host.clock.advance(15_000);
  }
  expect(bytes).toBe(file.length);
  expect(host.clock.now() - host.startedAt).toBeGreaterThan(100_000);
});

test("a stream that is destroyed, and a stop, end the request", async () => {
  const stopping = new AbortController();
  let open = 0;
  const host = await openHost(
    (_request, response) => {
      open += 1;
      response.on("close", () => {
        open -= 1;
      });
      response.writeHead(200, { "content-length": FILE.length }).write(FILE.subarray(0, 100));
    },
    { signal: stopping.signal },
  );
  const { stream } = await host.open();
  stream.destroy();
  await eventually("the request ends", () => open === 0);
  const reading = host.read();
  await eventually("the request arrives", () => open === 1);
  stopping.abort();
  await expect(reading).rejects.toMatchObject({ name: "DownloadError" });
});

test.each(Object.entries(FRAMINGS))(
  "a host that ends its connection before a slow reader has read with %s",
  async (_name, framing) => {
    const host = await startHostileHost(framing);
    const link = `http://127.0.0.1:${host.port}/file`;
    const { request } = await openHost(() => {}, { freshLink: async () => link });
    const part = await request();
    await host.sent();
    await expectOutcome(framing, readSlowly(part.chunks()), { fault: "unreachable" });
  },
);
