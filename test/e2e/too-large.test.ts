import type { TelegramMessage } from "@gramio/types";
import { expect, test, vi } from "vitest";
import { MODEL, openFaultyBot } from "../support/faulty-bot.js";
import { startHttpsServer } from "../support/https-server.js";

const BYTES = 60 * 1024 * 1024;

/** A service whose video has a new link in each answer. */
async function start() {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  let sent = 0;
  const host = await startHttpsServer((_request, response) => {
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "video/mp4", "content-length": BYTES });
    let left = BYTES;
    const write = () => {
      while (!response.destroyed && left > 0) {
        const piece = Buffer.alloc(Math.min(left, 65_536));
        left -= piece.length;
        sent += piece.length;
        if (!response.write(piece)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  });
  const { service, world, ann, job } = await openFaultyBot();
  world.models = [{ ...MODEL, type: "video" }];
  const { behave } = service;
  let links = 0;
  service.behave = (response, request, body) => {
    const [, id] = /\/generations\/(\d+)$/.exec(request.url ?? "") ?? [];
    if (id === undefined) return behave(response, request, body);
    links += 1;
    const result = { url: `https://127.0.0.1:${host.port}/video.mp4?sig=${links}`, mime: "video/mp4" };
    job(id, { type: "video", result })(response, request, body);
  };
  return { ann, sentBytes: () => sent };
}

const linksIn = ({ entities = [] }: TelegramMessage) =>
  entities.flatMap((entity) => ("url" in entity ? [String(entity.url)] : []));

test("a video that is too large for Telegram comes as a link, which its button renews each time", async () => {
  const { ann, sentBytes } = await start();
  ann.say("/video a train");
  await ann.press(/^✅/);
  let message = await ann.see(/It’s 60\u00a0MB/);
  const links = linksIn(message);
  for (const turn of [1, 2]) {
    await ann.press("🔗 New link");
    message = await ann.see(/It’s 60\u00a0MB/, message.message_id);
    links.push(...linksIn(message));
    expect(links).toHaveLength(turn + 1);
  }
  expect(new Set(links).size).toBe(3);
  expect(sentBytes()).toBeLessThan(BYTES / 2);
});
