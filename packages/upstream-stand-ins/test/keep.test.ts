import { appendFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { send, upstreams } from "./client.js";

const KEY = "Key fal-key";

test("tasks, money, faults, breaches and skipped time outlive the process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "upstreams-"));
  const first = await upstreams({ directory });
  const prompt = "a fox [fault:poll-502:2]";
  const { body } = await send("POST", `${first.url}/fal-ai/z-image/turbo`, KEY, { prompt, sise: "square" });
  await send("GET", body.status_url, KEY);
  first.advance(9000);
  first.setAccount("fal", "locked");
  await first.close();
  // A process that dies while it writes leaves half a line.
  appendFileSync(join(directory, "upstreams.jsonl"), '{"kind":"task","ta');

  const second = await upstreams({ directory, port: Number(new URL(first.url).port) });
  expect(second.ledger).toEqual(first.ledger);
  expect(second.breaches).toEqual(["fal fal-ai/z-image/turbo: unknown field sise"]);
  expect((await send("GET", body.status_url, KEY)).status).toBe(502);
  expect((await send("GET", body.status_url, KEY)).body.status).toBe("COMPLETED");
  const { images } = (await send("GET", body.response_url, KEY)).body;
  expect((await send("GET", images[0].url, undefined)).status).toBe(200);
  expect((await send("POST", `${second.url}/fal-ai/z-image/turbo`, KEY, { prompt })).status).toBe(403);

  await second.close();
  const third = await upstreams({ directory });
  expect(third.ledger).toEqual(first.ledger);
});
