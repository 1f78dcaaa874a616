import { beforeAll, expect, test } from "vitest";
import { MODEL, openFaultyBot } from "../support/faulty-bot.js";
import { makeJpeg, makeMp3, makeMp4 } from "../support/media.js";

const MODELS = [
  MODEL,
  { ...MODEL, type: "video", model_key: "train-1" },
  { ...MODEL, type: "music", model_key: "music:sea-1" },
];

let files: Record<string, { mime: string; body: Buffer }>;
beforeAll(async () => {
  files = {
    image: { mime: "image/jpeg", body: makeJpeg(64) },
    video: { mime: "video/mp4", body: await makeMp4(128, 72, 2) },
    music: { mime: "audio/mpeg", body: await makeMp3(2) },
    cover: { mime: "image/jpeg", body: makeJpeg(64) },
  };
});

/** A front-end of a service that counts what is asked of it once a job is done. */
async function start() {
  const { service, world, ann, front, job } = await openFaultyBot();
  world.models = MODELS;
  const { behave } = service;
  const asked: string[] = [];
  service.behave = (response, request, body) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    const [, name] = /^\/file\/(.*)$/.exec(decodeURI(path)) ?? [];
    const file = name === undefined ? undefined : files[name];
    if (file) {
      asked.push(`file ${name}`);
      response.writeHead(200, { "content-type": file.mime, "content-length": file.body.length });
      return void response.end(file.body);
    }
    const [, id] = /^\/generations\/([\w]+)$/.exec(path) ?? [];
    if (id === undefined) return behave(response, request, body);
    asked.push("job");
    const { type } = JSON.parse(service.jobs.get(Number(id)) ?? "{}") as { type: string };
    const linkTo = (what: string) => `${service.url}/file/${encodeURIComponent(what)}`;
    const url = linkTo(type);
    const track = { title: "The Sea", duration: 2, url, mime: "audio/mpeg", image_url: linkTo("cover") };
    const result = { url, mime: null, ...(type === "music" && { tracks: [track] }) };
    job(Number(id), { type, result })(response, request, body);
  };
  const sent = (method: string) => front.sandbox.calls.filter((call) => call.method === method);
  return { ann, asked, sent };
}

/** The poll that saw the end, then one look at the job for its links. */
const JOB = ["job", "job"];

test.each([
  ["a picture", "/image a fox", "sendPhoto", {}, ["file image"]],
  ["a video", "/video a train", "sendVideo", { width: 128, height: 72, duration: 2 }, ["file video"]],
  ["a track", "/music the sea", "sendAudio", { title: "The Sea", duration: 2 }, ["file cover", "file music"]],
])(
  "%s from elsewhere costs one GET of its job and one request of each of its files",
  async (_what, words, method, facts, files) => {
    const { ann, asked, sent } = await start();
    ann.say(words);
    await ann.press(/^✅/);
    await expect.poll(() => sent(method).length).toBe(1);
    expect(sent(method)[0]?.params).toMatchObject(facts);
    await expect.poll(() => asked.toSorted()).toEqual([...files, ...JOB]);
  },
);
