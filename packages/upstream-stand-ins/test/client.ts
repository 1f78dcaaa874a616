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
  // The shapes of services are what these tests are about.
  body: ReturnType<typeof JSON.parse>;
}

export async function send(
  method: string,
  url: string,
  auth: string | undefined,
  body?: unknown,
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      // No connection is left over from a server that a test has closed.
      connection: "close",
      ...(auth === undefined ? {} : { authorization: auth }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
