import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GenerationTask } from "../../src/jobs/provider.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { markedWebp } from "../support/picture.js";
import { ANN, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;
/** What the provider read behind each reference, by task. */
let read: string[][];

beforeEach(async () => {
  read = [];
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
  const { make } = service.provider;
  service.provider.make = async (task) => {
    read.push(await Promise.all(task.references.map(markOf)));
    return make(task);
  };
});
afterEach(async () => {
  const told = JSON.stringify(service.lines) + JSON.stringify(service.provider.tasks);
  // A link to Telegram's file server holds the token: neither the log nor a provider may see one.
  expect(told).not.toContain(TOKEN);
  expect(told).not.toContain("/file/bot");
});

const ann = () => new Chatter(service.sandbox.person(ANN.id));

/** What stands behind the last chunk of a picture, which tells one from the other. */
async function markOf(path: string): Promise<string> {
  return /mark-\w+/.exec((await readFile(path)).toString("latin1"))?.[0] ?? "";
}

function task(index = 0): Promise<GenerationTask> {
  return eventually(`task ${index}`, () => read.length > index && service.provider.tasks[index]);
}

function ownLinks(count: number): unknown[] {
  return Array.from({ length: count }, () => expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\//));
}

test("a photo in a private chat with a caption opens an image card with both, at the price with references", async () => {
  const one = ann();
  one.say("/image");
  await one.choose("GPT Image 2.5");
  one.say("a hat");
  await one.press("✅ Generate · 6\u00a0₽");
  await task(0);

  one.person.sendPhoto(markedWebp("mark-a"), { caption: "the same in <blue>" });
  const card = await one.seeButton("✅ Generate · 8\u00a0₽", "the same in <blue>");
  expect(labelsOf(card)).toContain("Photos: 1/16");
  await one.press("✅ Generate · 8\u00a0₽", "the same in <blue>");
  const { request } = await task(1);
  expect(request).toMatchObject({
    model_key: "gpt-image-2-5",
    prompt: "the same in <blue>",
    reference_urls: ownLinks(1),
  });
  expect(read[1]).toEqual(["mark-a"]);
  expect(service.balanceOf(ANN.id)).toBe(1000 - 6 - 8);
});

test("several pictures that are paid while the card is sent again leave the status message and no other card", async () => {
  const one = ann();
  one.person.sendAlbum([markedWebp("mark-a"), markedWebp("mark-b")], { caption: "both at a table" });
  const card = await one.seeButton("✅");
  const held = service.sandbox.hold("sendMessage");
  await held.arrived();
  service.provider.holds = true;
  await (await one.press("✅")).answered();
  await one.see(({ edit_date }) => edit_date !== undefined);
  await (await one.press("✅")).answered();
  await eventually("the task", () => service.provider.held.length === 1);
  held.release();
  const { params } = await service.sandbox.waitForCall("deleteMessage");
  expect(params.message_id).not.toBe(card.message_id);
  expect(one.heard().map(({ message_id }) => message_id)).toEqual([card.message_id]);
  service.provider.holds = false;
  for (const waiting of service.provider.held) waiting.finish();
  await one.see(({ photo }) => photo !== undefined);
});
