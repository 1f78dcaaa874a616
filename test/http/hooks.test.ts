import { expect, test } from "vitest";
import { startServer } from "./harness.js";

const CONTENT = "what the service says of a person";

test.each(["application/json", "text/plain", "application/octet-stream", undefined])(
  "/hooks/NAME answers 200 and nothing more, whatever it is sent as (%s), and logs no content",
  async (type) => {
    const { url, lines } = await startServer();
    const answer = await fetch(`${url}/hooks/kie?secret=${CONTENT}`, {
      method: "POST",
      body: Buffer.from(`{"not": "JSON, ${CONTENT}`),
      headers: type === undefined ? {} : { "content-type": type },
    });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(JSON.stringify(lines)).not.toContain("person");
  },
);

test("/hooks/NAME answers a look without a body too", async () => {
  const { url } = await startServer();
  for (const method of ["GET", "HEAD"])
    expect((await fetch(`${url}/hooks/kie`, { method })).status).toBe(200);
});

test("/hooks/NAME refuses a body that is too large, declared or not, and serves on", async () => {
  const { url } = await startServer();
  const bytes = Buffer.alloc(2 * 1024 * 1024, "x");
  const whole = await fetch(`${url}/hooks/kie`, { method: "POST", body: bytes });
  expect(whole.status).toBe(413);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const chunked = await fetch(`${url}/hooks/kie`, { method: "POST", body, duplex: "half" } as RequestInit);
  expect(chunked.status).toBe(413);
  expect((await fetch(`${url}/hooks/kie`, { method: "POST", body: "{}" })).status).toBe(200);
});

test("/hooks is not served where the API runs elsewhere", async () => {
  const { url } = await startServer({ api: undefined });
  expect((await fetch(`${url}/hooks/kie`, { method: "POST", body: "{}" })).status).toBe(404);
});
