import { existsSync, statSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, onTestFinished, test } from "vitest";
import type { UpstreamFile } from "../../../../src/catalogue/operation.js";
import {
  type FetchTerms,
  OutputFetcher,
  type OutputFetcherOptions,
} from "../../../../src/providers/fetch-outputs.js";
import { OutputError } from "../../../../src/providers/file-inspector.js";
import type { FileTask } from "../../../../src/workers/prepare-file.js";
import { advancedUntilEnd } from "../../../support/advanced-until-end.js";
import { eventually } from "../../../support/eventually.js";
import { startHttpServer } from "../../../support/http-server.js";
import { inspector } from "../../../support/inspector.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { makeMp4 } from "../../../support/media.js";
import { mp3 } from "../../../support/media-files.js";
import { never, newDirectory, plainPicture } from "../../../support/render-tasks.js";

/** Fetches with a root on this machine, so that its files are taken over http. */
async function openFetcher(
  root = "http://127.0.0.1:1",
  rootHeaders?: Readonly<Record<string, string>>,
  converter: OutputFetcherOptions["inspector"] = inspector,
) {
  const clock = createManualClock();
  const fetcher = new OutputFetcher({
    fileHosts: ["fal.media"],
    root: new URL(root),
    rootHeaders,
    inspector: converter,
    clock,
  });
  onTestFinished(() => fetcher.close());
  const directory = await newDirectory();
  const fetch = (files: readonly UpstreamFile[], signal = never, terms: FetchTerms = {}) =>
    fetcher.fetch(files, directory, signal, terms);
  return {
    clock,
    directory,
    fetch,
    /** Lets pauses pass meanwhile. */
    fetchOn: (files: readonly UpstreamFile[], stepMs = 100) => advancedUntilEnd(clock, fetch(files), stepMs),
  };
}

const image = (url: string): UpstreamFile => ({ kind: "image", source: { url } });
const PICTURE = plainPicture("#e01010", 64, 48);
const FILM = await makeMp4(320, 180, 2);

describe("results", () => {
  test("are taken in their order, without a key, and judged by their bytes", async () => {
    const { origin, requests } = await startHttpServer((request, response) => {
      response.setHeader("content-type", "application/octet-stream");
      response.end(request.url === "/film" ? FILM : PICTURE);
    });
    const { fetch, directory } = await openFetcher();
    const made = await fetch([
      image(`${origin}/a.png`),
      { kind: "video", source: { url: `${origin}/film` } },
    ]);
    expect(made).toEqual([
      {
        path: join(directory, "output-0.webp"),
        mime: "image/webp",
        width: 64,
        height: 48,
        original: { path: join(directory, "output-0"), mime: "image/png" },
      },
      { path: join(directory, "output-1"), mime: "video/mp4", width: 320, height: 180, durationSec: 2 },
    ]);
    expect((await readFile(join(directory, "output-0"))).equals(PICTURE)).toBe(true);
    expect(requests.some(({ headers }) => "authorization" in headers || "x-api-key" in headers)).toBe(false);
  });

  test("of the operator's own software stand at paths of its address, and get its key there alone", async () => {
    const elsewhere = await startHttpServer((_request, response) => response.end(PICTURE));
    const { origin, requests } = await startHttpServer((request, response) => {
      if (request.url !== "/moved") return void response.end(PICTURE);
      response.writeHead(302, { location: `${elsewhere.origin}/a.png` }).end();
    });
    const { fetch } = await openFetcher(origin, { authorization: "Bearer secret" });
    const made = await fetch([image("/view?filename=a.png&subfolder=&type=output"), image("/moved")]);
    expect(made).toMatchObject([{ width: 64 }, { width: 64 }]);
    expect(requests.map(({ url }) => url).sort()).toEqual([
      "/moved",
      "/view?filename=a.png&subfolder=&type=output",
    ]);
    expect(requests.every(({ headers }) => headers.authorization === "Bearer secret")).toBe(true);
    expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test.each(["//127.0.0.1:1/a.png", "/\\127.0.0.1:1/a.png", "view?filename=a.png"])(
    "are not taken from %s, which is no path",
    async (url) => {
      const { fetch } = await openFetcher();
      await expect(fetch([image(url)])).rejects.toMatchObject({ fault: "forbidden_host" });
    },
  );

  test("that are songs have their titles, and their covers behind them", async () => {
    const { origin } = await startHttpServer((request, response) => {
      if (request.url === "/gone.png") return void response.writeHead(404).end();
      response.end(request.url === "/cover.png" ? PICTURE : mp3());
    });
    const { fetch, directory } = await openFetcher();
    const song = (cover: string, title: string): UpstreamFile => ({
      kind: "audio",
      source: { url: `${origin}/song` },
      coverUrl: `${origin}/${cover}`,
      title,
    });
    const made = await fetch([song("cover.png", "One"), song("gone.png", "Two")]);
    expect(made).toEqual([
      expect.objectContaining({ path: join(directory, "output-0"), mime: "audio/mpeg", title: "One" }),
      { path: join(directory, "output-0-cover.jpg"), mime: "image/jpeg", width: 64, height: 48 },
      expect.objectContaining({ path: join(directory, "output-1"), mime: "audio/mpeg", title: "Two" }),
    ]);
  });

  test("that are videos have their start frame behind them as a cover, unless it is no picture", async () => {
    const { origin } = await startHttpServer((_request, response) => void response.end(FILM));
    const { fetch, directory } = await openFetcher();
    const [startFrame, damaged] = [join(directory, "reference-0"), join(directory, "reference-1")];
    await writeFile(startFrame, createCanvas(900, 1200).toBuffer("image/webp"));
    await writeFile(damaged, "no picture");
    const video: UpstreamFile = { kind: "video", source: { url: origin } };
    expect(await fetch([video], never, { startFrame })).toEqual([
      expect.objectContaining({ path: join(directory, "output-0"), mime: "video/mp4" }),
      { path: join(directory, "output-0-cover.jpg"), mime: "image/jpeg", width: 240, height: 320 },
    ]);
    expect(await fetch([video], never, { startFrame: damaged, name: "other" })).toHaveLength(1);
    expect(await readFile(startFrame), "the reference stays").not.toHaveLength(0);
  });

  test("that are pictures in the place of a video or a song have no cover", async () => {
    const { origin } = await startHttpServer((_request, response) => void response.end(PICTURE));
    const { fetch, directory } = await openFetcher();
    const startFrame = join(directory, "reference-0");
    await writeFile(startFrame, PICTURE);
    const song: UpstreamFile = { kind: "audio", source: { url: origin }, coverUrl: `${origin}/cover` };
    expect(await fetch([song])).toHaveLength(1);
    const video: UpstreamFile = { kind: "video", source: { url: origin } };
    expect(await fetch([video], never, { startFrame, name: "other" })).toHaveLength(1);
  });

  test.each(["base64", "url"] as const)("may be the bytes themselves, as %s", async (form) => {
    const { fetch } = await openFetcher();
    const text = PICTURE.toString("base64");
    const source = form === "base64" ? { base64: text } : { url: `data:image/png;base64,${text}` };
    expect(await fetch([{ kind: "image", source }])).toMatchObject([{ width: 64, height: 48 }]);
  });

  test("may be fetched again into the same directory, and are downloaded once an attempt", async () => {
    let failures = 1;
    const busy = {
      prepare(task: FileTask) {
        failures -= 1;
        return failures < 0 ? inspector.prepare(task) : Promise.reject(new OutputError("unreachable"));
      },
    };
    const { origin, requests } = await startHttpServer((_request, response) => void response.end(PICTURE));
    const { fetch, directory } = await openFetcher(undefined, undefined, busy);
    await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "unreachable" });
    expect(await fetch([image(`${origin}/signed-anew`)])).toMatchObject([{ width: 64 }]);
    expect(requests).toHaveLength(1);
    expect((await readdir(directory)).sort()).toEqual(["output-0", "output-0.webp"]);
    await fetch([image(origin)], never, { name: "attempt-2" });
    expect(requests).toHaveLength(2);
    expect(await readdir(directory)).toHaveLength(4);
  });

  test("wait for the converter in their account's turn, and for as long as it takes", async () => {
    const accounts: (number | undefined)[] = [];
    let free = () => {};
    const isFree = new Promise<void>((resolve) => {
      free = resolve;
    });
    const crowded: OutputFetcherOptions["inspector"] = {
      async prepare(task, _signal, account) {
        accounts.push(account);
        await isFree;
        return inspector.prepare(task);
      },
    };
    const { origin } = await startHttpServer((_request, response) => void response.end(PICTURE));
    const { fetch, clock } = await openFetcher(undefined, undefined, crowded);
    const made = fetch([image(origin)], never, { account: 7 });
    await eventually("it is downloaded", () => accounts.length === 1);
    await clock.advance(3_600_000);
    free();
    expect(await made).toMatchObject([{ width: 64 }]);
    expect(accounts).toEqual([7]);
  });

  test("are downloaded four at once", async () => {
    const waiting: (() => void)[] = [];
    const { origin } = await startHttpServer((request, response) => {
      if (request.url === "/later") response.end();
      else waiting.push(() => response.end(PICTURE));
    });
    const { fetch: fetchFiles } = await openFetcher();
    const made = fetchFiles(Array.from({ length: 9 }, (_, index) => image(`${origin}/${index}`)));
    await eventually("four are asked for", () => waiting.length >= 4);
    for (let answered = 0; answered < 9; answered += 1) {
      await eventually("the next is asked for", () => waiting.length > 0);
      // Whatever was begun beside them has come before this is answered.
      await fetch(`${origin}/later`);
      expect(waiting.length).toBeLessThanOrEqual(4);
      waiting.shift()?.();
    }
    expect(await made).toHaveLength(9);
  });
});

describe("a result is refused", () => {
  test("from another host, without a call", async () => {
    const { origin, requests } = await startHttpServer((_request, response) => void response.end(PICTURE));
    const { fetch } = await openFetcher("https://proxy.example");
    await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "forbidden_host" });
    expect(requests).toHaveLength(0);
  });

  test("where a redirect leads to another host", async () => {
    const { origin } = await startHttpServer((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
    });
    const { fetch } = await openFetcher();
    await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "forbidden_host" });
  });

  test.each([
    ["expired", 403],
    ["expired", 404],
    ["expired", 410],
    ["unreachable", 503],
  ])("as %s by status %i, without its address in the message", async (fault, status) => {
    const { origin } = await startHttpServer((_request, response) => void response.writeHead(status).end());
    const { fetchOn } = await openFetcher();
    await expect(fetchOn([image(`${origin}/?sig=secret`)], 1000)).rejects.toMatchObject({
      fault,
      message: `result not taken: ${fault}`,
    });
  });

  test("as too large before it is read", async () => {
    const { origin } = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-length": 2 ** 40 });
      response.write("x");
    });
    const { fetch } = await openFetcher();
    await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "too_large" });
  });

  test.each([
    ["no byte", ""],
    ["a page", "<html></html>"],
  ])("that is %s", async (_name, body) => {
    const { origin } = await startHttpServer((_request, response) => void response.end(body));
    const { fetch } = await openFetcher();
    await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "not_media" });
  });
});

test("one failure ends the other downloads", async () => {
  const { origin, requests } = await startHttpServer((request, response) => {
    if (request.url === "/bad") response.end("nothing");
    else response.writeHead(200, { "content-length": 1000 }).write("x");
  });
  const { fetch } = await openFetcher();
  await expect(fetch([image(`${origin}/slow`), image(`${origin}/bad`)])).rejects.toMatchObject({
    fault: "not_media",
  });
  expect(requests).toHaveLength(2);
});

test("a fetch that is aborted ends at once", async () => {
  const { origin, requests } = await startHttpServer((_request, response) => {
    response.writeHead(200, { "content-length": 1000 }).write("x");
  });
  const { fetch } = await openFetcher();
  const stop = new AbortController();
  const fetching = fetch([image(origin)], stop.signal);
  await eventually("it is asked for", () => requests.length === 1);
  stop.abort();
  await expect(fetching).rejects.toBeInstanceOf(OutputError);
});

test("a host that drips holds a file for seconds, not for as long as a download may take", async () => {
  let drip = () => {};
  const { origin } = await startHttpServer((_request, response) => {
    response.writeHead(200, { "content-length": 1_000_000 }).flushHeaders();
    drip = () => void response.write("x");
  });
  const { fetch, clock, directory } = await openFetcher();
  const startedAt = clock.now();
  const arrived = () => statSync(join(directory, "output-0.part"), { throwIfNoEntry: false })?.size ?? 0;
  let fault: unknown;
  fetch([image(origin)]).catch((error: unknown) => {
    fault = error;
  });
  await eventually("it is begun", () => existsSync(join(directory, "output-0.part")));
  for (let second = 1; fault === undefined && second < 120; second += 1) {
    drip();
    await eventually("it arrives", () => arrived() === second || fault !== undefined);
    await clock.advance(1000);
  }
  expect(fault).toMatchObject({ fault: "unreachable" });
  expect(clock.now() - startedAt).toBeLessThan(60_000);
});

test("a page in the place of a file is not taken for it by the next fetch", async () => {
  const bodies = ["<html></html>", PICTURE];
  const { origin } = await startHttpServer((_request, response) => void response.end(bodies.shift()));
  const { fetch } = await openFetcher();
  await expect(fetch([image(origin)])).rejects.toMatchObject({ fault: "not_media" });
  expect(await fetch([image(origin)])).toMatchObject([{ width: 64 }]);
});
