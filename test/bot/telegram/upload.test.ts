import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import { GrammyError, HttpError } from "grammy";
import { expect, test } from "vitest";
import { uploadFaultOf } from "../../../src/bot/orders/delivery/outgoing-file.js";
import { uploadOf } from "../../../src/bot/telegram/files.js";
import { eventually } from "../../support/eventually.js";
import { startBotServer } from "../../support/listen.js";

const CHUNK = Buffer.alloc(64 * 1024);
const CHUNKS = 160;

/** Uploads a file of 10 MB to such a server. Answers with what the call failed with. */
async function upload(listener: RequestListener, open = async () => Readable.from(fileOf(CHUNKS))) {
  const { api } = await startBotServer(listener);
  const sent = api.sendDocument(5, uploadOf(open, "a.bin"));
  return sent.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function* fileOf(chunks: number): Generator<Buffer> {
  for (let chunk = 0; chunk < chunks; chunk += 1) yield CHUNK;
}

const FILES = [{ index: 0, track: 0 }];

test("an upload that the server resets is aborted, and its file closed", async () => {
  const file = Readable.from(fileOf(CHUNKS));
  const error = await upload(
    (request) => request.once("data", () => request.socket.resetAndDestroy()),
    async () => file,
  );
  expect(error).toBeInstanceOf(HttpError);
  expect(uploadFaultOf(error, FILES)).toBe("cut_off");
  await eventually("the close", () => file.destroyed);
});

test("a 413 page of a proxy is classified like one of the Bot API", async () => {
  const error = await upload((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(413).end("<html>413 Request Entity Too Large</html>"));
  });
  expect(error).toBeInstanceOf(GrammyError);
  expect(uploadFaultOf(error, FILES)).toBe("too_large");
});

test.each([
  ["cannot be opened", () => Promise.reject(new Error("ENOENT"))],
  [
    "breaks off while it is read",
    async () =>
      Readable.from(
        (function* () {
          yield* fileOf(3);
          throw new Error("EIO");
        })(),
      ),
  ],
])("a file that %s is not a Telegram failure", async (_what, open) => {
  const error = await upload((request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify({ ok: true, result: {} })));
  }, open);
  expect(error).toBeInstanceOf(HttpError);
  expect(uploadFaultOf(error, FILES)).toBeUndefined();
});
