import { buffer } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { openFiles } from "../../src/bot/orders/delivery/file-sender.js";
import { outgoingFileOf, requestBytesMaxOf } from "../../src/bot/orders/delivery/outgoing-file.js";
import { SubmissionStore } from "../../src/client/remote-gateway.js";
import { UncertainOutcome } from "../../src/contract/errors.js";
import { asKopecks } from "../../src/contract/price.js";
import { advancedUntilEnd } from "../support/advanced-until-end.js";
import { type Behaviour, reset } from "../support/faulty-service.js";
import { createManualClock } from "../support/manual-clock.js";
import { openKnownTo, UnderWay } from "../support/under-way.js";
import { KEY, MODEL, openShared, REQUEST } from "./harness.js";

const MAX = requestBytesMaxOf({ isLocal: false });
const TERMS = { id: "order-1", quotedKopecks: asKopecks(1250) };

const WEBP = Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64");

/** A gateway to a service elsewhere, with models and jobs as the test says. */
async function open(parts: Parameters<typeof openShared>[0] = {}) {
  const moderation = { allows: async ([text]: readonly string[]) => text !== world.refusedText };
  const shared = await openShared({ moderation, ...parts });
  const { service, connect } = shared;
  const world = Object.assign(shared.world, {
    models: [{ ...MODEL, price_rub: 12.5 }],
    refusedText: undefined as string | undefined,
    job: undefined as object | undefined,
    onFile: undefined as Behaviour | undefined,
    file: { type: "image/webp", body: WEBP },
  });
  const { behave } = service;
  service.behave = (response, request, body) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    if (path.startsWith("/file")) {
      if (world.onFile) return world.onFile(response, request, body);
      response.writeHead(200, { "content-type": world.file.type, "content-length": world.file.body.length });
      return void response.end(world.file.body);
    }
    if (path.startsWith("/generations/") && world.job)
      return service.answer(response, 200, { ok: true, job: world.job });
    behave(response, request, body);
  };
  const { gateway, remote } = await connect();
  const again = async () => (await connect()).gateway;
  return { ...shared, world, gateway, again, stop: () => remote.stop() };
}

function doneJob(url: string | null) {
  return { job_id: 5, type: "image", status: "done", cost_rub: 12.5, result: { url, mime: null } };
}

test("an order that was sent is not sent again, also by a new process", async () => {
  const { service, gateway, again: anew } = await open();
  const accepted = await gateway.submit(REQUEST, TERMS);
  expect(accepted).toEqual({ job_id: 1000, job_ids: [1000], status: "queued", cost_rub: 10 });
  for (const again of [gateway, await anew()])
    await expect(again.submit(REQUEST, TERMS)).rejects.toThrow(UncertainOutcome);
  expect(service.posts).toHaveLength(1);
});

test("refused words are not sent, and an order that was sent is not judged again", async () => {
  const { service, world, gateway, again } = await open();
  world.refusedText = REQUEST.prompt;
  await expect(gateway.submit(REQUEST, TERMS)).rejects.toMatchObject({ code: "content_refused" });
  expect(service.posts).toHaveLength(0);
  world.refusedText = undefined;
  await gateway.submit(REQUEST, TERMS);
  world.refusedText = REQUEST.prompt;
  await expect((await again()).submit(REQUEST, TERMS)).rejects.toThrow(UncertainOutcome);
});

test("an order whose row cannot be written is not sent: it could be sent again", async () => {
  const { service, gateway } = await open();
  vi.spyOn(SubmissionStore.prototype, "begin").mockRejectedValueOnce(new Error("database or disk is full"));
  await expect(gateway.submit(REQUEST, TERMS)).rejects.toMatchObject({
    name: "Unavailable",
    reason: "storage",
  });
  expect(service.posts).toEqual([]);
});

test("a price that changed since the card was drawn is not paid", async () => {
  const { service, world, gateway } = await open();
  await gateway.models();
  world.models = [{ ...MODEL, price_rub: 20 }];
  await expect(gateway.submit(REQUEST, TERMS)).rejects.toMatchObject({ actualKopecks: 2000 });
  expect(await gateway.models()).toMatchObject([{ price_rub: 20 }]);
  expect(service.posts).toEqual([]);
});

test("a refused key is the operator's matter: nothing was accepted, and the key is in no line", async () => {
  const { service, gateway, lines } = await open();
  service.behave = (response) => service.answer(response, 401, { ok: false, error: "invalid_api_key" });
  await expect(gateway.balance()).rejects.toMatchObject({ reason: "unreachable" });
  const order = gateway.submit(REQUEST, TERMS);
  await expect(order).rejects.toMatchObject({ reason: "unreachable" });
  expect(lines.some(({ msg }) => String(msg).startsWith("CORE_API_KEY"))).toBe(true);
  expect(JSON.stringify(lines)).not.toContain(KEY);
});

test("a service that hangs keeps nobody waiting for a balance for longer than ten seconds, and gets no order", async () => {
  const clock = createManualClock();
  const { service, gateway } = await open({ clock });
  service.behave = () => {};
  const since = clock.now();
  const unreachable = { reason: "unreachable" };
  await advancedUntilEnd(clock, expect(gateway.balance()).rejects.toMatchObject(unreachable), 500);
  expect(clock.now() - since).toBeLessThanOrEqual(10_000);
  await advancedUntilEnd(
    clock,
    expect(gateway.submit(REQUEST, TERMS)).rejects.toMatchObject(unreachable),
    500,
  );
  expect(service.posts).toEqual([]);
});

test("a result is told without a request, and has the facts of its file once it is open", async () => {
  const { service, world, gateway } = await open();
  world.job = doneJob(`${service.url}/file`);
  const job = await gateway.job(5);
  service.gets.length = 0;
  const [file, ...others] = await gateway.results(job);
  if (!file) throw new Error("no file");
  expect(others).toEqual([]);
  expect(file).toMatchObject({ kind: "result", index: 0, mime: "image/webp", fileName: "atelier-5.webp" });
  expect(service.gets).toEqual([]);
  const { stream, ...facts } = await file.open();
  expect(facts).toEqual({
    mime: "image/webp",
    fileName: "atelier-5.webp",
    size: WEBP.length,
    width: 1,
    height: 1,
  });
  expect(await buffer(stream)).toEqual(WEBP);
  expect(service.gets).toMatchObject([{ path: "/api/v1/file" }]);
  expect(service.gets[0]?.headers.authorization).toBeUndefined();
});

test("a file is named by the type that its host gives", async () => {
  const { service, world, gateway } = await open();
  world.job = doneJob(`${service.url}/file`);
  world.file = { type: "image/png", body: Buffer.from("no picture") };
  const [file] = await gateway.results(await gateway.job(5));
  const opened = await file?.open();
  opened?.stream.destroy();
  expect(opened).toMatchObject({ mime: "image/png", fileName: "atelier-5.png" });
});

test("20 tracks whose links refuse cost a few downloads, four at once, and few looks at the job", async () => {
  const clock = createManualClock();
  const underWay = new UnderWay();
  const { service, world, gateway } = await open({ clock, open: openKnownTo(underWay) });
  const tracks = Array.from({ length: 20 }, (_, index) => ({ url: `${service.url}/file/${index}` }));
  world.job = { ...doneJob(null), type: "music", result: { url: null, mime: null, tracks } };
  let downloads = 0;
  world.onFile = (_response, request) => {
    downloads += 1;
    reset(request);
  };
  const job = await gateway.job(5);
  const files = await gateway.results(job);
  const planned = files.map((result, index) =>
    outgoingFileOf({ index: 0, track: index }, { result }, job, MAX),
  );
  expect(planned).toHaveLength(20);
  const opened = expect(openFiles(planned, MAX)).rejects.toMatchObject({ reason: "unreachable" });
  await clock.advance(60_000, () => underWay.settled());
  await opened;
  expect(downloads).toBeLessThanOrEqual(20);
  const looks = service.gets.filter(({ path }) => path.endsWith("/generations/5"));
  expect(looks.length).toBeLessThanOrEqual(20);
}, 30_000);

test("a host that does not answer keeps nobody waiting for longer than a minute", async () => {
  const clock = createManualClock();
  const { world, service, gateway } = await open({ clock });
  world.job = doneJob(`${service.url}/file`);
  world.onFile = () => {};
  const [file] = await gateway.results(await gateway.job(5));
  const since = clock.now();
  const opening = expect(file?.open()).rejects.toMatchObject({ reason: "unreachable" });
  await advancedUntilEnd(clock, opening, 1000);
  expect(clock.now() - since).toBeLessThanOrEqual(62_000);
});

test("files that are held open keep no other from being opened", async () => {
  const { service, world, gateway } = await open();
  const tracks = Array.from({ length: 20 }, (_, index) => ({
    url: `${service.url}/file/${index}`,
    duration: 2,
    mime: "audio/mpeg",
  }));
  world.job = { ...doneJob(null), type: "music", result: { url: null, mime: null, tracks } };
  world.file = { type: "audio/mpeg", body: Buffer.alloc(4 * 1024 * 1024) };
  const files = await gateway.results(await gateway.job(5));
  // Several orders at once: each holds the files of its album.
  const held = await Promise.all(
    Array.from({ length: 10 }, () => files).flatMap((all) => all.map((one) => one.open())),
  );
  expect(held).toHaveLength(200);
  for (const { stream } of held) stream.destroy();
}, 30_000);

test("a job without a link has no files", async () => {
  const { world, gateway } = await open();
  world.job = doneJob(null);
  expect(await gateway.results(await gateway.job(5))).toEqual([]);
});

test("a stop waits for a POST in flight, so that its order is not left in doubt", async () => {
  const { service, world, gateway, stop } = await open();
  let answer = () => {};
  world.onPost = (response, request, body) => {
    answer = () => service.serve(response, request, body);
  };
  const order = gateway.submit(REQUEST, TERMS);
  await expect.poll(() => service.posts.length).toBe(1);
  const stopping = stop();
  answer();
  expect(await order).toMatchObject({ job_id: 1000 });
  await stopping;
});
