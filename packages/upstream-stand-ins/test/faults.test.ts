import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { FAULTS, type FaultName, type ServiceName, type Upstreams } from "../src/index.js";
import { download, type Reply, send, upstreams } from "./client.js";

const KEYS: Readonly<Record<string, string>> = {
  fal: "Key fal-key",
  kie: "Bearer kie-key",
  polza: "Bearer polza-key",
};

const INSTANT = { timing: { queueMs: 0, runMs: 0 } };

/** A paid POST to a service, with a prompt. */
function post(stand: Upstreams, service: ServiceName, prompt: string): Promise<Reply> {
  const auth = KEYS[service];
  if (service === "fal") return send("POST", `${stand.url}/fal-ai/z-image/turbo`, auth, { prompt });
  if (service === "kie") {
    const body = { model: "nano-banana-2", input: { prompt } };
    return send("POST", `${stand.url}/api/v1/jobs/createTask`, auth, body);
  }
  const body = { model: "google/gemini-2.5-flash-image", input: { prompt }, async: true };
  return send("POST", `${stand.url}/api/v1/media`, auth, body);
}

/** The first question about the last task. */
function poll(stand: Upstreams, service: ServiceName): Promise<Reply> {
  const id = stand.tasks.at(-1)?.id ?? "";
  const paths: Readonly<Record<string, string>> = {
    fal: `/fal-ai/z-image/requests/${id}/status`,
    kie: `/api/v1/jobs/recordInfo?taskId=${id}`,
    polza: `/api/v1/media/${id}`,
  };
  return send("GET", `${stand.url}${paths[service]}`, KEYS[service]);
}

/** The address of the file of the last task. */
async function outputUrl(stand: Upstreams, service: ServiceName): Promise<string> {
  const { body } = await poll(stand, service);
  if (service === "polza") return body.data.url;
  if (service === "kie") return JSON.parse(body.data.resultJson).resultUrls[0];
  return (await send("GET", body.response_url, KEYS.fal)).body.images[0].url;
}

describe.each(["fal", "kie", "polza"] as const)("%s", (service) => {
  test.each(["drop-after-accept", "truncate-after-accept"] as const)(
    "%s takes the money and gives no whole answer",
    async (fault) => {
      const stand = await upstreams();
      await expect(post(stand, service, `x [fault:${fault}]`)).rejects.toThrow();
      expect(stand.ledger).toHaveLength(1);
    },
  );

  test("hang-after-accept takes the money and never answers", async () => {
    const stand = await upstreams();
    const answered = post(stand, service, "x [fault:hang-after-accept]").catch(() => "cut");
    await stand.waitUntil(() => stand.ledger.length === 1);
    await stand.close();
    expect(await answered).toBe("cut");
  });

  test("no-id, html-after-accept and bad-gateway-after take the money and name no task", async () => {
    const stand = await upstreams();
    const noId = await post(stand, service, "x [fault:no-id]");
    expect(noId.status).toBeLessThan(300);
    expect(JSON.stringify(noId.body)).not.toContain(stand.tasks[0]?.id);
    expect((await post(stand, service, "x [fault:html-after-accept]")).body).toContain("<html>");
    expect((await post(stand, service, "x [fault:bad-gateway-after]")).status).toBe(502);
    expect(stand.ledger).toHaveLength(3);
  });

  test("close-unread and refused connections take nothing", async () => {
    const stand = await upstreams();
    stand.order({ fault: "close-unread", service });
    await expect(post(stand, service, "x")).rejects.toThrow();
    await stand.stopListening();
    await expect(post(stand, service, "x")).rejects.toThrow();
    await stand.startListening();
    expect(stand.ledger).toEqual([]);
    await post(stand, service, "x");
    expect(stand.ledger).toHaveLength(1);
  });

  test("refusals before acceptance take nothing, and pass", async () => {
    const stand = await upstreams();
    const refusals = [
      "rate-limited",
      "maintenance",
      "no-credit",
      "locked",
      "wrong-key",
      "bad-gateway-before",
    ] as const;
    for (const fault of refusals) {
      stand.order({ fault, service });
      const { status, body } = await post(stand, service, "x");
      expect(service === "kie" && status === 200 ? body.code : status).toBeGreaterThanOrEqual(400);
    }
    expect(stand.ledger).toEqual([]);
    await post(stand, service, "x");
    expect(stand.ledger).toHaveLength(1);
  });

  test("polls fail as often as ordered, and then tell the truth", async () => {
    const stand = await upstreams(INSTANT);
    await post(
      stand,
      service,
      "x [fault:poll-502:2] [fault:poll-html] [fault:poll-drop] [fault:unknown-status]",
    );
    expect((await poll(stand, service)).status).toBe(502);
    expect((await poll(stand, service)).status).toBe(502);
    expect((await poll(stand, service)).body).toContain("<html>");
    await expect(poll(stand, service)).rejects.toThrow();
    expect(JSON.stringify((await poll(stand, service)).body)).toMatch(/PAUSED|reviewing|moderating/);
    expect(JSON.stringify((await poll(stand, service)).body)).toMatch(/COMPLETED|success|completed/);
  });

  test("poll-429 and late-record pass; forgotten stays", async () => {
    const stand = await upstreams(INSTANT);
    await post(stand, service, "x [fault:poll-429] [fault:late-record]");
    const throttled = await poll(stand, service);
    expect(service === "kie" ? throttled.body.code : throttled.status).toBe(429);
    const unknown = await poll(stand, service);
    expect(service === "kie" ? unknown.body.code : unknown.status).toBe(service === "kie" ? 422 : 404);
    expect(await outputUrl(stand, service)).toContain("/files/");
    stand.order({ fault: "forgotten", service });
    await poll(stand, service);
    expect(await poll(stand, service)).toEqual(expect.objectContaining({ body: unknown.body }));
  });

  test.each([
    ["zero-byte", { status: 200, length: 0 }],
    ["gone-output", { status: 404, length: 0 }],
    ["redirect", { status: 302, length: 0 }],
    ["wrong-kind", { status: 200, length: 21 }],
  ] as const)("a download with %s", async (fault, { status, length }) => {
    const stand = await upstreams(INSTANT);
    await post(stand, service, `x [fault:${fault}]`);
    const file = await download(await outputUrl(stand, service));
    expect({ status: file.status, length: file.bytes.length }).toEqual({ status, length });
  });

  test("wrong-mime, cut-download, hang-download, huge-output and foreign-output", async () => {
    const stand = await upstreams(INSTANT);
    await post(
      stand,
      service,
      "x [fault:wrong-mime] [fault:cut-download] [fault:hang-download] [fault:huge-output]",
    );
    const url = await outputUrl(stand, service);
    expect(await download(url)).toMatchObject({ status: 200, mime: "application/octet-stream" });
    await expect(download(url)).rejects.toThrow();
    for (const size of [undefined, 10 * 1024 ** 3]) {
      const { headers, body } = await fetch(url);
      if (size !== undefined) expect(Number(headers.get("content-length"))).toBe(size);
      await body?.cancel();
    }
    expect((await download(url)).mime).toMatch(/^image\//);
    await post(stand, service, "x [fault:foreign-output]");
    expect(await outputUrl(stand, service)).toMatch(/^https:\/\/files\.example\.invalid\//);
  });

  test("failed-at-result and no-output", async () => {
    const stand = await upstreams(INSTANT);
    await post(stand, service, "x [fault:failed-at-result]");
    await expect(outputUrl(stand, service)).rejects.toThrow();
    await post(stand, service, "x [fault:no-output]");
    expect(await outputUrl(stand, service).catch(() => undefined)).toBeUndefined();
    expect(stand.tasks.map(({ outcome }) => outcome.kind)).toEqual(["failed", "made"]);
  });

  test("slow-queue is twenty times as long", async () => {
    const stand = await upstreams();
    await post(stand, service, "x [fault:slow-queue]");
    expect(stand.tasks[0]).toMatchObject({ queueMs: 60_000, queueLength: 60 });
  });

  test("upload-fails strikes an upload", async () => {
    const stand = await upstreams();
    stand.order({ fault: "upload-fails", service });
    const paths = {
      fal: "/storage/upload/initiate",
      kie: "/api/file-base64-upload",
      polza: "/api/v1/storage/upload",
    };
    expect((await send("POST", `${stand.url}${paths[service]}`, KEYS[service], {})).status).toBe(500);
  });
});

test("expired-output of fal passes when the result is asked for again", async () => {
  const stand = await upstreams(INSTANT);
  await post(stand, "fal", "x [fault:expired-output]");
  expect((await download(await outputUrl(stand, "fal"))).status).toBe(410);
  expect((await download(await outputUrl(stand, "fal"))).status).toBe(200);
});

test("policy-at-submit is told at once by kie and polza, and by fal in the end", async () => {
  const stand = await upstreams(INSTANT);
  expect((await post(stand, "kie", "x [fault:policy-at-submit]")).body.code).toBe(400);
  expect((await post(stand, "polza", "x [fault:policy-at-submit]")).status).toBe(400);
  expect(stand.ledger).toEqual([]);
  await post(stand, "fal", "x [fault:policy-at-submit]");
  const { body } = await poll(stand, "fal");
  expect((await send("GET", body.response_url, KEYS.fal)).body.detail[0].type).toBe(
    "content_policy_violation",
  );
});

test("cancel-too-late lets the task go on", async () => {
  const stand = await upstreams();
  const { body } = await post(stand, "fal", "x [fault:cancel-too-late]");
  expect((await send("PUT", body.cancel_url, KEYS.fal)).status).toBe(400);
  stand.advance(9000);
  expect((await poll(stand, "fal")).body.status).toBe("COMPLETED");
});

test.each([
  ["callback-early", 1, 2],
  ["callback-twice", 0, 2],
  ["callback-forged", 1, 2],
] as const)("%s comes to the address of the client", async (fault, early, all) => {
  const came: string[] = [];
  let changed = () => {};
  const hook = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    incoming.on("end", () => {
      came.push(text);
      response.end("ok");
      changed();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      changed = () => came.length >= count && resolve();
      changed();
    });
  const stand = await upstreams();
  const callBackUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hooks/kie`;
  const body = { model: "nano-banana-2", callBackUrl, input: { prompt: `x [fault:${fault}]` } };
  await send("POST", `${stand.url}/api/v1/jobs/createTask`, KEYS.kie, body);
  await until(early);
  stand.advance(9000);
  await until(all);
  const id = stand.tasks[0]?.id;
  expect(came.filter((text) => text.includes(id ?? "?"))).toHaveLength(all);
  expect(came.some((text) => text.includes("files.example.invalid"))).toBe(fault === "callback-forged");
  await new Promise((resolve) => hook.close(resolve));
});

test("every fault has words that say what it does", () => {
  const names = Object.keys(FAULTS) as FaultName[];
  expect(names.filter((name) => FAULTS[name].about.length < 10)).toEqual([]);
});
