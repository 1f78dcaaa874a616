import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ANN, BORIS, startTestService } from "../support/service.js";

/** The stub writes its seed into its results. */
async function seedIn(path = ""): Promise<number> {
  return Number(/ (\d+)$/.exec((await readFile(path)).toString("latin1"))?.[1]);
}

test("a reply to a picture works after a restart, and in a group with privacy mode on", async () => {
  const service = await startTestService();
  const { sandbox, provider } = service;
  const { make } = provider;
  let read: number | undefined;
  provider.make = async (task) => {
    if (task.references.length > 0) read = await seedIn(task.references[0]);
    return make(task);
  };
  const inGroup = (id: number) => new Chatter(sandbox.person(id), sandbox.groupId);
  const ann = inGroup(ANN.id);
  await beginImageInGroup(service, ann, "a fox");
  await ann.press("✅", "a fox");
  const photo = await ann.seePhoto();
  await service.restart();
  ann.say("make it night", { replyTo: photo.message_id });
  await ann.press("✅", "make it night");
  expect(await eventually("the picture is read", () => read)).toBe(provider.tasks[0]?.seed);
  const boris = inGroup(BORIS.id);
  boris.say(toBot(service, "/video"), { replyTo: photo.message_id });
  await boris.see("Veo 3.1");
});
