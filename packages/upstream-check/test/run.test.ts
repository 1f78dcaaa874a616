import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FaultName } from "@atelier/upstream-stand-ins";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectReplayable, KEY, openCheck } from "./harness.js";

test.each([
  ["fal nano-banana-2", "google/nano-banana-2.1", /resolution: "1K"/],
  ["fal z-image-turbo", "fal-ai/z-image/turbo", /resolution: "1K"/],
  ["fal nano-banana-2.1/edit", "google/nano-banana-2.1/edit", /reference_urls/],
  ["kie suno-v6", "ai-music-api/generate", /mode: "description"/],
  ["kie veo-3-1", "veo-3-1", /resolution: "720p"[\s\S]*duration_sec: 4\n/],
  ["polza grok-imagine", "x-ai/grok-imagine-image", /resolution: "1K"/],
])("%s makes one request, and its recording is replayed", async (line, endpoint, cheap) => {
  const { stand, folder, check, recordings } = await openCheck();
  const { code, text } = await check(`${line} --out ${folder}`);
  expect(text).toMatch(cheap);
  expect(text).toContain("Made, as expected");
  expect(code).toBe(0);
  expect(stand.ledger.map((entry) => entry.endpoint)).toEqual([endpoint]);
  expect(stand.breaches).toEqual([]);
  const [first, ...others] = recordings();
  if (!first) throw new Error("no recording");
  expect(others).toEqual([]);
  expect(first.recording.live).toBe(false);
  expect(first.recording.files?.length).toBeGreaterThan(0);
  expect(JSON.stringify(first.recording)).not.toContain(KEY);
  expectReplayable(first.recording);
});

test("the cost is said before anything is sent, with what is in doubt", async () => {
  const { check } = await openCheck();
  const doubt = {
    service: "fal",
    models: ["nano-banana-2"],
    doubt: "Not 2.1.",
    source: "https://x.test",
    check: "npm run upstream:check -- fal nano-banana-2",
  };
  const { text } = await check("fal nano-banana-2", { doubts: [doubt] });
  const before = text.slice(0, text.indexOf("→ POST"));
  expect(before).toContain("It costs 0.04 USD, about 3.6 RUB, as the catalogue says");
  expect(before).toContain("Not known yet: Not 2.1.");
});

test("a model without a known cost says so", async () => {
  const { check } = await openCheck();
  expect((await check("fal flux-2-pro/edit")).text).toContain(
    "The catalogue does not know what it costs; people pay 8 RUB for it here",
  );
});

describe("what differs is said, with exit code 1", () => {
  test.each<[FaultName, string]>([
    ["unknown-status", "DIFFERS: the adapter does not understand this answer"],
    ["poll-502", "DIFFERS: a look told nothing"],
    ["foreign-output", "Not made: made, but its files were not taken"],
    ["no-output", "Not made: the finished task has no file at /images/0/url"],
    ["policy-at-result", "Not made: refused (policy)"],
    ["failed-at-result", "Not made: failed"],
    ["no-credit", "Not made: paused (no_credit): nothing was made"],
    ["rate-limited", "Not made: throttled: nothing was made"],
    ["drop-after-accept", "Not made: ambiguous: nobody knows"],
  ])("%s", async (fault, said) => {
    const { stand, check } = await openCheck();
    stand.order({ fault, times: 3 });
    const { code, text } = await check("fal nano-banana-2");
    expect(text).toContain(said);
    expect(code).toBe(1);
    expect(stand.ledger.length).toBeLessThanOrEqual(1);
  });
});

test("past the deadline the task is named for the person to find", async () => {
  const { stand, check } = await openCheck({ timing: { queueMs: 600_000, runMs: 10 } });
  const { code, text } = await check("fal nano-banana-2");
  expect(text).toContain("Not made: timeout: not ended within 10 s");
  expect(text).toContain(`The task at the service: {"request_id":"${stand.tasks[0]?.id}"`);
  expect(code).toBe(1);
});

test("nothing listens: nothing was made", async () => {
  const { check } = await openCheck();
  const { code, text } = await check("fal nano-banana-2", { root: new URL("http://127.0.0.1:1") });
  expect(text).toContain("Not made: not sent: nothing was made");
  expect(text).toContain("No recording: nothing was answered");
  expect(code).toBe(1);
});

test.each([
  [
    "fal nano-banana-3",
    'fal has no mapping for "nano-banana-3"; possible are nano-banana-2, nano-banana-pro,',
  ],
  ["nobody nano-banana-2", "no service nobody; known are "],
  ["fal", "name a model: nano-banana-2, nano-banana-pro,"],
  ["fal", "; or compare all mappings with --catalogue"],
  ["openai", "name a model: gpt-image-2-5"],
  ["", "name a service: one of "],
])("%s is answered by what is possible", async (line, said) => {
  const { stand, check } = await openCheck();
  const { code, text } = await check(line);
  expect(text).toContain(said);
  expect(code).toBe(1);
  expect(stand.calls).toEqual([]);
});

test("interrupted before the submit, it sends nothing", async () => {
  const { stand, stopping, check } = await openCheck();
  stopping.abort(new Error("interrupted"));
  expect(await check("fal nano-banana-2")).toMatchObject({
    code: 1,
    text: expect.stringMatching(/interrupted$/),
  });
  expect(stand.calls).toEqual([]);
});

test("a key that the service repeats is not shown", async () => {
  const { stand, check } = await openCheck();
  stand.order({ fault: "wrong-key" });
  const { text } = await check("fal nano-banana-2", { key: "invalid key credentials" });
  expect(text).toContain("[key]");
  expect(text).not.toContain("invalid key credentials");
});

test("what a service complains of in an acceptance is said", async () => {
  const { stand, check } = await openCheck();
  const errors = [{ type: "value_not_in_list", message: "Value not in list", details: "ckpt_name: 'a'" }];
  const node_errors = { "99": { class_type: "CheckpointLoaderSimple", errors } };
  const between = createServer(async (request, response) => {
    const body = request.method === "POST" ? { body: await text(request) } : {};
    const { method = "GET", url = "/" } = request;
    const answer = await fetch(new URL(url, stand.url), { method, ...body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (url !== "/prompt") return void response.end(Buffer.from(await answer.arrayBuffer()));
    response.end(JSON.stringify({ ...((await answer.json()) as object), node_errors }));
  });
  await once(between.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void between.close());
  const root = new URL(`http://127.0.0.1:${(between.address() as AddressInfo).port}`);
  const told = await check("comfyui z-image-turbo", { root });
  expect(told.text).toContain(
    "DIFFERS: accepted with a warning: node 99 (CheckpointLoaderSimple): Value not in list: ckpt_name: 'a'",
  );
  expect(told.code).toBe(1);
});
