import { describe, expect, test } from "vitest";
import type { FaultName, ServiceName, Upstreams } from "../src/index.js";
import { send, upstreams } from "./client.js";

const HOOK = "https://client.example/hooks/a-token";
const MADE_MS = 9000;

interface Called {
  url: string;
  body: Record<string, unknown>;
}

/** Stand-ins whose calls are kept. */
async function openCalling() {
  const called: Called[] = [];
  const postCallback = async (url: string, body: string) =>
    void called.push({ url, body: JSON.parse(body) as Called["body"] });
  return { stand: await upstreams({ postCallback }), called };
}

const SUBMITS: Readonly<
  Record<string, (stand: Upstreams, prompt: string, hook?: string) => Promise<unknown>>
> = {
  fal: (stand, prompt, hook) => {
    const query = hook === undefined ? "" : `?fal_webhook=${encodeURIComponent(hook)}`;
    return send("POST", `${stand.url}/fal-ai/z-image/turbo${query}`, "Key k", { prompt });
  },
  kie: (stand, prompt, callBackUrl) => {
    const body = {
      model: "z-image",
      ...(callBackUrl && { callBackUrl }),
      input: { prompt, aspect_ratio: "1:1" },
    };
    return send("POST", `${stand.url}/api/v1/jobs/createTask`, "Bearer k", body);
  },
  replicate: (stand, prompt, webhook) => {
    const asked = webhook === undefined ? {} : { webhook, webhook_events_filter: ["completed"] };
    const url = `${stand.url}/v1/models/prunaai/z-image-turbo/predictions`;
    return send("POST", url, "Bearer k", { input: { prompt }, ...asked });
  },
};

const NAMES = Object.keys(SUBMITS) as ServiceName[];
const ENDS: Readonly<Record<string, object>> = {
  fal: { status: "OK", payload: { images: [{}] } },
  kie: { code: 200, data: { state: "success" } },
  replicate: { status: "succeeded" },
};

describe.each(NAMES)("%s", (name) => {
  const submit = SUBMITS[name] ?? expect.fail(name);

  test("calls the address of the submit, and no other, once the task has ended", async () => {
    const { stand, called } = await openCalling();
    await submit(stand, "a fox", HOOK);
    stand.advance(MADE_MS - 1);
    expect(called).toEqual([]);
    stand.advance(1);
    expect(called).toMatchObject([{ url: HOOK, body: ENDS[name] }]);
    expect(JSON.stringify(called)).toContain(stand.tasks[0]?.id);
    stand.advance(MADE_MS);
    expect(called).toHaveLength(1);
    expect(stand.breaches).toEqual([]);
  });

  test("calls nobody where the submit names no address", async () => {
    const { stand, called } = await openCalling();
    await submit(stand, "a fox");
    stand.advance(MADE_MS);
    expect(called).toEqual([]);
  });

  test.each<[FaultName, atSubmit: number, atEnd: number, later: number]>([
    ["callback-lost", 0, 0, 0],
    ["callback-late", 0, 0, 1],
    ["callback-first", 1, 1, 1],
    ["callback-early", 1, 2, 2],
    ["callback-twice", 0, 2, 2],
    ["callback-forged", 1, 2, 2],
    ["failed-at-result", 0, 1, 1],
  ])("%s: %i calls with the submit, %i at the end, %i two minutes later", async (fault, ...counts) => {
    const { stand, called } = await openCalling();
    stand.order({ fault, service: name });
    await submit(stand, "a fox", HOOK);
    const seen = [called.length];
    for (const ms of [MADE_MS, 120_000]) {
      stand.advance(ms);
      seen.push(called.length);
    }
    expect(seen).toEqual(counts);
  });
});

test("replicate calls only for the end of a prediction", async () => {
  const { stand, called } = await openCalling();
  const url = `${stand.url}/v1/models/prunaai/z-image-turbo/predictions`;
  const body = { input: { prompt: "a fox" }, webhook: HOOK, webhook_events_filter: ["start"] };
  await send("POST", url, "Bearer k", body);
  stand.advance(MADE_MS);
  expect(called).toEqual([]);
});
