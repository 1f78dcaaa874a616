import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Api, type ApiClientOptions } from "grammy";
import { expect, onTestFinished, test } from "vitest";
import { escapeHtml } from "../../../../src/bot/html.js";
import { FileSender } from "../../../../src/bot/orders/delivery/file-sender.js";
import {
  albumsOf,
  isUploadable,
  type OutgoingFile,
} from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Order } from "../../../../src/bot/orders/store/order.js";
import { openConnections } from "../../../../src/bot/telegram/fetch.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { fakeFile } from "../../../support/fake-job.js";
import { makeJpeg } from "../../../support/media.js";

const REQUEST_BYTES_MAX = 49 * 1024 * 1024;
/** The largest cover that is sent as a thumbnail. */
const COVER = Buffer.concat([makeJpeg(320), Buffer.alloc(200_000)]).subarray(0, 200_000);
/** The longest caption, of what takes the most bytes. */
const CAPTION = escapeHtml("&".repeat(1024));

/** A Bot API server that counts the bytes of each request. */
async function openServer() {
  const bodies: number[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      bodies.push(bytes);
      const message = { message_id: 1, audio: { file_id: "a" }, video: { file_id: "v" } };
      const result = request.url?.endsWith("/sendMediaGroup") ? Array(10).fill(message) : message;
      response.end(JSON.stringify({ ok: true, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connections = openConnections();
  onTestFinished(async () => {
    await connections.close();
    server.close();
  });
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = connections.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>;
  return { api: new Api("1:token", { apiRoot, fetch }), bodies };
}

function orderOf(type: "music" | "video", files: number): Order {
  const request = { type, model_key: "any" };
  const jobIds = Array.from({ length: files }, (_, at) => at + 1);
  return { id: "one", chatId: 7, threadId: null, modelTitle: "Any", request, jobIds } as unknown as Order;
}

/** A file of the largest size that goes in one request together with others like it. */
function largestFile(mime: string, together: number): OutgoingFile {
  const kind = "result" as const;
  const file = {
    kind,
    index: 0,
    track: 0,
    mime,
    fileName: `${"ы".repeat(60)}.bin`,
    size: 0,
    durationSec: 60,
  };
  const as = mime.startsWith("audio/") ? "audio" : "video";
  const fits = (size: number) =>
    isUploadable({ mime, size }) &&
    albumsOf(Array.from({ length: together }, () => ({ ...file, as, size }))).length === 1;
  let [low, high] = [0, REQUEST_BYTES_MAX];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return { ...file, as, size: low };
}

test.each([
  ["one video", "video/mp4", 1],
  ["ten tracks with their covers", "audio/mpeg", 10],
] as const)("a request with %s stays below 49 MiB, with everything in it", async (_what, mime, together) => {
  const { api, bodies } = await openServer();
  const file = largestFile(mime, together);
  const chunk = Buffer.alloc(64 * 1024);
  function* bytes() {
    for (let left = file.size ?? 0; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
  }
  const service = new FakeService();
  const cover = { kind: "cover", mime: "image/jpeg", size: COVER.length } as const;
  for (let id = 1; id <= together; id += 1)
    service.addJob({ id }).finish([fakeFile({ mime }, bytes), fakeFile(cover, () => [COVER])]);
  const order = orderOf(mime === "audio/mpeg" ? "music" : "video", together);
  const files = Array.from({ length: together }, (_, index) => ({ ...file, index, title: "ы".repeat(120) }));
  await new FileSender(api).send({
    order,
    gateway: service.gateway(),
    files,
    caption: CAPTION,
    keyboard: undefined,
  });
  const [sent = 0] = bodies;
  expect(sent).toBeLessThan(REQUEST_BYTES_MAX);
  // Little is left unused.
  expect(sent).toBeGreaterThan(REQUEST_BYTES_MAX - together * 32 * 1024);
});
