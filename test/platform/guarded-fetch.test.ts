import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/platform/clock.js";
import {
  createGuardedFetch,
  FetchError,
  type GuardedFetchOptions,
} from "../../src/platform/guarded-fetch.js";
import { eventually } from "../support/eventually.js";
import { expectOutcome, FRAMINGS, readSlowly, startHostileHost } from "../support/hostile-host.js";
import { HOST, type HttpsServer, LOOPBACK_INTERNET, startHttpsServer } from "../support/https-server.js";
import { createManualClock } from "../support/manual-clock.js";
import { startMuteServer } from "../support/mute-server.js";

const LIMITS = { bytesMax: 1000, timeoutMs: 20_000 };

/** The bytes behind a link, or why they were not fetched. */
async function outcome(
  link: string,
  options: Partial<GuardedFetchOptions> = {},
  limits: Partial<typeof LIMITS & { signal: AbortSignal }> = {},
): Promise<string> {
  return strictOutcome(link, { ...LOOPBACK_INTERNET, ...options }, limits);
}

/** The same in the real internet. */
async function strictOutcome(
  link: string,
  options: Partial<GuardedFetchOptions>,
  limits: Partial<typeof LIMITS & { signal: AbortSignal }> = {},
): Promise<string> {
  const fetch = createGuardedFetch({ clock: systemClock, ...options });
  const { signal = new AbortController().signal } = limits;
  try {
    return (await fetch(link, { ...LIMITS, ...limits, signal }, (bytes) => buffer(bytes))).toString();
  } catch (error) {
    if (error instanceof FetchError) return error.reason;
    throw error;
  }
}

/** A server that answers each path as it says. */
function serve(paths: Record<string, (response: ServerResponse, request: IncomingMessage) => void>) {
  return startHttpsServer((request, response) => paths[request.url ?? ""]?.(response, request));
}

function redirect(to: string, status = 302) {
  return (response: ServerResponse) => response.writeHead(status, { location: to }).end("moved");
}

async function allClosed(server: HttpsServer): Promise<void> {
  await eventually("every connection is closed", () => server.open.size === 0);
}

describe("an ordinary file", () => {
  test("is read from the checked address, under the server's name, with no credentials", async () => {
    const seen: { headers?: object; servername?: unknown } = {};
    const server = await serve({
      "/a.png?x=1": (response, { headers, socket }) => {
        Object.assign(seen, { headers, servername: Reflect.get(socket as TLSSocket, "servername") });
        response.end("a fox");
      },
    });
    expect(await outcome(`${server.origin}/a.png?x=1#part`)).toBe("a fox");
    expect(seen.servername).toBe(HOST);
    expect(seen.headers).toEqual({
      host: `${HOST}:${server.port}`,
      connection: expect.any(String),
      "user-agent": "Atelier",
      "accept-encoding": "identity",
    });
    await allClosed(server);
  });

  test("is read from a host name with a trailing dot", async () => {
    const server = await serve({ "/": (response) => response.end("a fox") });
    expect(await outcome(`https://${HOST}.:${server.port}/`)).toBe("a fox");
  });

  test("of exactly the maximum size is read, and one byte more is rejected", async () => {
    const server = await serve({
      "/fits": (response) => response.end("x".repeat(1000)),
      "/large": (response) => response.end("x".repeat(1001)),
    });
    expect(await outcome(`${server.origin}/fits`)).toHaveLength(1000);
    expect(await outcome(`${server.origin}/large`)).toBe("size");
    await allClosed(server);
  });

  test("rethrows an error of its reader and closes the connection", async () => {
    const server = await serve({ "/": (response) => response.write("endless") });
    const fetch = createGuardedFetch({ clock: systemClock, ...LOOPBACK_INTERNET });
    const { signal } = new AbortController();
    const full = new Error("the disk is full");
    await expect(fetch(server.origin, { ...LIMITS, signal }, () => Promise.reject(full))).rejects.toBe(full);
    await allClosed(server);
  });
});

describe("addresses", () => {
  test.each([
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://１２７.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
  ])("%s is rejected unless a test allows it, without a DNS query", async (link) => {
    const resolveName = vi.fn(async () => ["8.8.8.8"]);
    expect(await strictOutcome(link, { resolveName })).toBe("address");
    expect(resolveName).not.toHaveBeenCalled();
  });

  test.each([[["127.0.0.1"]], [["::1"]], [["8.8.8.8", "10.0.0.1"]], [["2606:4700::1111", "fd00::1"]]])(
    "a name that resolves to %j is rejected",
    async (addresses) => {
      const resolveName = async () => addresses;
      expect(await strictOutcome("https://a.example/", { resolveName })).toBe("address");
    },
  );

  test("a name is resolved once: a changing DNS answer has no effect", async () => {
    const server = await serve({ "/": (response) => response.end("a fox") });
    const resolveName = vi.fn(async () =>
      resolveName.mock.calls.length === 1 ? ["127.0.0.1"] : ["127.0.0.9"],
    );
    expect(await outcome(server.origin, { resolveName })).toBe("a fox");
    expect(resolveName).toHaveBeenCalledTimes(1);
  });

  test("a name without an address, or one that cannot be resolved, is reported as unknown", async () => {
    expect(await outcome(`https://${HOST}/`, { resolveName: async () => [] })).toBe("name");
    const broken = () => Promise.reject(new Error("SERVFAIL"));
    expect(await outcome(`https://${HOST}/`, { resolveName: broken })).toBe("name");
  });

  test.each([
    "http://pictures.example/",
    "file:///etc/passwd",
    "https://user:word@pictures.example/",
    "https://pictures.example:25/",
    "no link",
  ])("%s is never fetched", async (link) => {
    const resolveName = vi.fn(async () => ["127.0.0.1"]);
    expect(await outcome(link, { resolveName })).toBe("link");
    expect(resolveName).not.toHaveBeenCalled();
  });
});

describe("certificates", () => {
  test("for another name, or from an unknown issuer, fail the fetch", async () => {
    const server = await serve({ "/": (response) => response.end("a fox") });
    expect(await outcome(`https://elsewhere.example:${server.port}/`)).toBe("network");
    const { certificate: _ours, ...internet } = LOOPBACK_INTERNET;
    expect(await strictOutcome(server.origin, internet)).toBe("network");
    await allClosed(server);
  });

  test("are checked whatever the environment says", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const server = await serve({ "/": (response) => response.end("a fox") });
    expect(await outcome(`https://elsewhere.example:${server.port}/`)).toBe("network");
  });
});

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])(
    "with status %d are followed, each step checked by its own name",
    async (status) => {
      const names: string[] = [];
      const server = await serve({
        "/a": redirect("b", status),
        "/b": (response) => redirect(`https://cdn.${HOST}:${server.port}/c`)(response),
        "/c": (response) => response.end("a fox"),
      });
      const resolveName = async (name: string) => {
        names.push(name);
        return ["127.0.0.1"];
      };
      expect(await outcome(`${server.origin}/a`, { resolveName })).toBe("a fox");
      expect(names).toEqual([HOST, HOST, `cdn.${HOST}`]);
      await allClosed(server);
    },
  );

  test.each([
    ["a private address", "https://10.0.0.1/", "address"],
    ["a name of one", `https://inside.${HOST}/`, "address"],
    ["http", `http://${HOST}/`, "link"],
    ["nothing that is a link", "https://", "link"],
  ])("to %s are rejected", async (_name, to, reason) => {
    const server = await serve({ "/": redirect(to) });
    const resolveName = async (name: string) => (name === HOST ? ["127.0.0.1"] : ["192.168.0.1"]);
    expect(await outcome(server.origin, { resolveName })).toBe(reason);
    expect(server.made).toHaveLength(1);
    await allClosed(server);
  });

  test("in a circle end after five requests", async () => {
    const server = await serve({ "/": redirect("/") });
    expect(await outcome(server.origin)).toBe("redirects");
    expect(server.made).toHaveLength(5);
    await allClosed(server);
  });

  test("without a Location, and responses without the file, are rejected", async () => {
    const server = await serve({
      "/nowhere": (response) => response.writeHead(302).end(),
      "/gone": (response) => response.writeHead(404).end("not here"),
      "/part": (response) => response.writeHead(206).end("half"),
    });
    expect(await outcome(`${server.origin}/nowhere`)).toBe("link");
    expect(await outcome(`${server.origin}/gone`)).toBe("status");
    expect(await outcome(`${server.origin}/part`)).toBe("status");
    await allClosed(server);
  });
});

function drip(response: ServerResponse): void {
  if (!response.destroyed) response.write("x", () => setTimeout(drip, 1, response));
}

describe("a hostile server", () => {
  test("that sends an endless body is cut off at the limit", async () => {
    const server = await serve({
      "/": (response) => {
        const more = () => {
          while (response.write("x".repeat(100)));
        };
        response.on("drain", more);
        more();
      },
    });
    expect(await outcome(server.origin)).toBe("size");
    await allClosed(server);
  });

  test("that sends compressed content is rejected before any of it is read", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const server = await serve({
      "/": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    });
    expect(await outcome(server.origin, {}, { bytesMax: 1e9 })).toBe("encoding");
    await allClosed(server);
  });

  test.each([
    ["says nothing", () => {}],
    ["stops in its headers", (response: ServerResponse) => response.socket?.write("HTTP/1.1 200 OK\r\nA: ")],
    ["stops in the body", (response: ServerResponse) => response.writeHead(200).write("half")],
    ["sends only interim answers", (response: ServerResponse) => response.writeProcessing()],
    ["sends slowly but steadily", drip],
  ])("that %s is abandoned at the deadline", async (_name, behave) => {
    const clock = createManualClock();
    let isAsked = false;
    const server = await serve({
      "/": (response) => {
        behave(response);
        isAsked = true;
      },
    });
    const fetched = outcome(server.origin, { clock }, { bytesMax: 1e9 });
    await eventually("a request", () => isAsked);
    await clock.advance(LIMITS.timeoutMs);
    expect(await fetched).toBe("deadline");
    expect(clock.pending).toBe(0);
    await allClosed(server);
  });

  test("that never answers the TLS handshake is abandoned after 8 s, or when the caller aborts", async () => {
    // Connections are timed by the system's clock.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { port, open } = await startMuteServer();
    const clock = createManualClock();
    const link = `https://${HOST}:${port}/`;
    const ended = vi.fn();
    const fetched = outcome(link, { clock }).finally(ended);
    await eventually("a connection", () => open.size === 1);
    vi.advanceTimersByTime(7999);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(await fetched).toBe("network");
    await eventually("its connection is closed", () => open.size === 0);

    const stop = new AbortController();
    const stopped = outcome(link, { clock }, { signal: stop.signal });
    await eventually("a connection", () => open.size === 1);
    stop.abort(new Error("the service stops"));
    await expect(stopped).rejects.toThrow("the service stops");
    vi.advanceTimersByTime(8000);
    await eventually("its connection is closed", () => open.size === 0);
    expect(clock.pending).toBe(0);
  });

  test("that never answers DNS queries is abandoned at the deadline", async () => {
    const clock = createManualClock();
    const resolveName = (_name: string, signal: AbortSignal) =>
      new Promise<string[]>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("cancelled"))),
      );
    const unresolved = outcome(`https://${HOST}/`, { clock, resolveName });
    await clock.advance(LIMITS.timeoutMs);
    expect(await unresolved).toBe("deadline");
  });

  test("that sends too large headers, or no HTTP, is a connection failure", async () => {
    const server = await serve({
      "/headers": (response) => response.writeHead(200, { "x-a": "x".repeat(100_000) }).end(),
      "/noise": (response) => response.socket?.end("SSH-2.0-OpenSSH_9.6\r\n"),
    });
    expect(await outcome(`${server.origin}/headers`)).toBe("network");
    expect(await outcome(`${server.origin}/noise`)).toBe("network");
    await allClosed(server);
  });

  test("is disconnected at once when the caller aborts, with its reason", async () => {
    const server = await serve({ "/": (response) => response.write("half") });
    const stop = new AbortController();
    const fetched = outcome(server.origin, {}, { signal: stop.signal });
    await eventually("a connection", () => server.open.size === 1);
    stop.abort(new Error("the service stops"));
    await expect(fetched).rejects.toThrow("the service stops");
    await allClosed(server);
    await expect(outcome(server.origin, {}, { signal: stop.signal })).rejects.toThrow("the service stops");
  });
});

test.each(Object.entries(FRAMINGS))(
  "a host that ends its connection before a slow reader has read with %s",
  async (_name, framing) => {
    const host = await startHostileHost(framing, true);
    const fetch = createGuardedFetch({ clock: systemClock, ...LOOPBACK_INTERNET });
    const limits = { bytesMax: 1e6, timeoutMs: 20_000, signal: new AbortController().signal };
    const fetched = fetch(`https://${HOST}:${host.port}/`, limits, async (bytes) => {
      await host.sent();
      return readSlowly(bytes);
    });
    await expectOutcome(framing, fetched, { reason: "network" });
  },
);
