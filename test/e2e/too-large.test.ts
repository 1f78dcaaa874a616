import type { TelegramMessage } from "@gramio/types";
import { expect, test, vi } from "vitest";
import { type Chatter, labelsOf } from "../support/chatter.js";
import { MODEL, openFaultyBot } from "../support/faulty-bot.js";
import { startHttpsServer } from "../support/https-server.js";

const BYTES = 60 * 1024 * 1024;

/** A service whose video has a new link in each answer. `isSizeTold`: its host says how much it weighs. */
async function start({ bytes = BYTES, isSizeTold = true } = {}) {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  let sent = 0;
  const host = await startHttpsServer((_request, response) => {
    response.on("error", () => {});
    const type = { "content-type": "video/mp4" };
    response.writeHead(200, { ...type, ...(isSizeTold && { "content-length": bytes }) });
    let left = bytes;
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
  const { service, world, ann, front, job } = await openFaultyBot();
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
  return { ann, front, sentBytes: () => sent };
}

const linksIn = ({ entities = [] }: TelegramMessage) =>
  entities.flatMap((entity) => ("url" in entity ? [String(entity.url)] : []));

/** Waits for the words about a video, and asks for a new link twice, which is another one each time. */
async function renewed(ann: Chatter, words: RegExp): Promise<TelegramMessage> {
  let message = await ann.see(words);
  const links = linksIn(message);
  for (const turn of [1, 2]) {
    await ann.press("🔗 New link");
    message = await ann.see(words, message.message_id);
    links.push(...linksIn(message));
    expect(links).toHaveLength(turn + 1);
  }
  expect(new Set(links).size).toBe(3);
  return message;
}

test("a video that is too large for Telegram comes as a link, which its button renews each time", async () => {
  const { ann, sentBytes } = await start();
  ann.say("/video a train");
  await ann.press(/^✅/);
  await renewed(ann, /It’s 60\u00a0MB/);
  expect(sentBytes()).toBeLessThan(BYTES / 2);
});

test("a video of unknown size that Telegram refuses comes as such a link, and is not uploaded again", async () => {
  const { ann, front } = await start({ bytes: 1000, isSizeTold: false });
  const answer = { type: "status", code: 413, description: "Request Entity Too Large" } as const;
  const fault = front.sandbox.faults.add({ method: "sendVideo", answer, times: 1 });
  ann.say("/video a train");
  await ann.press(/^✅/);
  const message = await renewed(ann, /Telegram keeps interrupting/);
  expect(labelsOf(message).filter((label) => label.includes("file"))).toEqual([]);
  expect(fault.struck).toBe(1);
  expect(front.sandbox.calls.filter(({ method }) => method === "sendDocument")).toEqual([]);
});
