import { readFile } from "node:fs/promises";
import type { TelegramMessage } from "@gramio/types";
import { beforeEach, describe, expect, test } from "vitest";
import type { GenerationTask } from "../../src/jobs/provider.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

/** A clock of the system that can be put forward. */
let forwardMs = 0;
const clock = aheadClock(() => forwardMs);

let service: TestService;
/** The seeds in the pictures behind the references of each task: the stub writes its seed into its results. */
let read: number[][];

beforeEach(async () => {
  forwardMs = 0;
  read = [];
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" }, overrides: { clock } });
  const { make } = service.provider;
  service.provider.make = async (task) => {
    read.push(await Promise.all(task.references.map(seedIn)));
    return make(task);
  };
});

const privately = (id = ANN.id) => new Chatter(service.sandbox.person(id));
const inGroup = (id = ANN.id) => new Chatter(service.sandbox.person(id), service.sandbox.groupId);

async function seedIn(path: string): Promise<number> {
  return Number(/ (\d+)$/.exec((await readFile(path)).toString("latin1"))?.[1]);
}

function task(index: number): Promise<GenerationTask> {
  return eventually(`task ${index}`, () => read.length > index && service.provider.tasks[index]);
}

const isPhoto = ({ photo }: TelegramMessage) => photo !== undefined;

/** Has a picture made and returns its message. */
async function orderPicture(chatter: Chatter, words = "a fox"): Promise<TelegramMessage> {
  chatter.say(words);
  await chatter.press("✅", words);
  return chatter.see(isPhoto);
}

/** The seed of the picture that a message shows, by the bytes of its file. */
function seedOf(index: number): number | undefined {
  return service.provider.tasks[index]?.seed;
}

describe("the buttons of a result", () => {
  test("edit: the picture is sent with the new prompt at the button's price, also hours later", async () => {
    const ann = privately();
    const photo = await orderPicture(ann);
    expect(labelsOf(photo)).toEqual([
      "✏️ Edit",
      "🎬 Animate",
      "🎲 Another take · 10\u00a0₽",
      "⚙️ Adjust",
      "📄 As a file",
    ]);
    ann.person.tap(photo, "Edit");
    await ann.seeButton("Photos: 1/14");
    ann.say("make it night");
    await ann.seeButton("✅ Generate · 10\u00a0₽", "make it night");
    forwardMs = 5 * 3600 * 1000;
    await ann.press("✅ Generate · 10\u00a0₽", "make it night");
    expect((await task(1)).request).toMatchObject({ prompt: "make it night", aspect_ratio: "auto" });
    expect(read[1]).toEqual([seedOf(0)]);
    expect(service.balanceOf(ANN.id)).toBe(980);
  });
});

describe("a reply to a picture", () => {
  test("works after a restart, and in a group with privacy mode on", async () => {
    const ann = inGroup();
    await beginImageInGroup(service, ann, "a fox");
    await ann.press("✅", "a fox");
    const photo = await ann.see(isPhoto);
    await service.restart();
    ann.say("make it night", { replyTo: photo.message_id });
    await ann.press("✅", "make it night");
    await task(1);
    expect(read[1]).toEqual([seedOf(0)]);
    const boris = inGroup(BORIS.id);
    boris.say(toBot(service, "/video"), { replyTo: photo.message_id });
    await boris.see("Veo 3.1");
  });
});
