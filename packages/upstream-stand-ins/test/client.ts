import { afterEach } from "vitest";
import { createManualClock } from "../../../test/support/manual-clock.js";
import { createUpstreams, type Upstreams, type UpstreamsOptions } from "../src/index.js";

const open: Upstreams[] = [];

/** Stand-ins whose time only `advance` moves; closed after the test. */
export async function upstreams(options: UpstreamsOptions = {}): Promise<Upstreams> {
  const clock = createManualClock();
  const started = await createUpstreams({ clock, timing: { queueMs: 3000, runMs: 6000 }, ...options });
  open.push(started);
  return started;
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

export interface Reply {
  status: number;
  headers: Headers;
  // The shapes of services are what these tests are about.
  body: ReturnType<typeof JSON.parse>;
}

export async function send(
  method: string,
  url: string,
  auth: string | undefined,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: {
      // No connection is left over from a server that a test has closed.
      connection: "close",
      ...(auth === undefined ? {} : { authorization: auth }),
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A file of the service, as bytes. */
export async function download(url: string): Promise<{ status: number; mime: string | null; bytes: Buffer }> {
  const response = await fetch(url, { redirect: "manual", headers: { connection: "close" } });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, mime: response.headers.get("content-type"), bytes };
}
