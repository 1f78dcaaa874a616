import { expect, test } from "vitest";
import { send, upstreams } from "./client.js";

const FAL = "Key fal-key-1234";
const BEARER = "Bearer some-key-1234";
const KIE = "/api/v1/jobs/createTask";
const POLZA = "/api/v1/media";
const OPENAI = "/v1/images/generations";
const REPLICATE = "/v1/models/google/nano-banana-2.1/predictions";
const fox = { prompt: "a fox" };

/** Services take what they do not know without a word, and bill it: only the breach tells that a request was wrong. */
test.each([
  ["/google/nano-banana-2.1", FAL, { ...fox, aspect: "16:9" }, 1],
  [KIE, BEARER, { model: "nano-banana-2-1", input: { ...fox, ratio: "1:1" } }, 1],
  [POLZA, BEARER, { model: "google/veo3_fast", input: { ...fox, aspectRatio: "16:9" }, async: true }, 1],
  [REPLICATE, BEARER, { input: { ...fox, image_urls: [] } }, 1],
  // These are refused before anything is taken.
  [KIE, BEARER, { model: "gemini-omni-video", input: { ...fox, duration: "5" } }, 0],
  [POLZA, BEARER, { model: "kling/v2.5-turbo", input: { ...fox, duration: 7 }, async: true }, 0],
  [REPLICATE, BEARER, { input: { ...fox, resolution: "8K" } }, 0],
  [OPENAI, BEARER, { model: "gpt-image-2.5-flare", ...fox, size: "1000x1000" }, 0],
])("a field of %s that its service does not have is a breach", async (path, key, body, taken) => {
  const stand = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  await send("POST", `${stand.url}${path}`, key, body);
  expect(stand.ledger).toHaveLength(taken);
  expect(stand.takeBreaches()).toHaveLength(1);
});

test("a key that is sent to the files' host is a breach", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await send("POST", `${fal.url}/google/nano-banana-2.1`, FAL, fox);
  const { url } = (await send("GET", body.response_url, FAL)).body.images[0];
  await send("GET", url, FAL);
  expect(fal.takeBreaches()).toHaveLength(1);
});
