import { rmSync } from "node:fs";
import { readFile, truncate } from "node:fs/promises";
import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, onTestFinished, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { newFolder } from "../support/new-folder.js";
import { markedWebp } from "../support/picture.js";
import { makeResults } from "../support/results.js";
import { ANN, startTestService, TOKEN } from "../support/service.js";

const VIDEO_BYTES = 60 * 1024 * 1024;

/** The service with a Bot API server of its own in local mode. */
async function start() {
  const localDirectory = newFolder();
  const sandbox = await createSandbox({ token: TOKEN, people: [ANN], localDirectory });
  const environment = { TELEGRAM_LOCAL: "true", WELCOME_CREDIT_RUB: "1000" };
  const service = await startTestService({ sandbox, environment });
  onTestFinished(async () => {
    await service.close();
    expect(JSON.stringify(service.lines)).not.toContain(TOKEN);
  });
  return { service, localDirectory, ann: new Chatter(sandbox.person(ANN.id)) };
}

test("a video of 60 MB comes as a video", async () => {
  const { service, ann } = await start();
  service.provider.make = async (task) => {
    const [clip] = await makeResults(task);
    if (!clip) throw new Error("no clip");
    // Whoever plays it ignores what stands behind the last box.
    await truncate(clip.path, VIDEO_BYTES);
    return [clip];
  };
  ann.say("/video a train");
  await ann.press(/^✅/);
  const { video } = await ann.see((message) => message.video !== undefined);
  expect(video?.file_size).toBe(VIDEO_BYTES);
});

test("a photo that a person sends is read from the server's disk, and by HTTP where it is not there", async () => {
  const { service, localDirectory, ann } = await start();
  const read: string[] = [];
  const { make } = service.provider;
  service.provider.make = async (task) => {
    for (const path of task.references)
      read.push(/mark-\w+/.exec((await readFile(path)).toString("latin1"))?.[0] ?? "");
    return make(task);
  };
  ann.person.sendPhoto(markedWebp("mark-disk"), { caption: "on a shelf" });
  await ann.press(/^✅/, "on a shelf");
  await eventually("the first picture is made", () => read.length === 1);
  const photo = ann.person.sendPhoto(markedWebp("mark-http"), { caption: "on the floor" });
  expect(photo.photo).toBeDefined();
  rmSync(localDirectory, { recursive: true });
  await ann.press(/^✅/, "on the floor");
  await eventually("the second picture is made", () => read.length === 2);
  expect(read).toEqual(["mark-disk", "mark-http"]);
});
