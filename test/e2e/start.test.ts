import { afterEach, beforeEach, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { toBot } from "../support/group.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
});
afterEach(() => service.close());

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
const picturesOf = (one: Chatter) => one.heard().flatMap(({ photo, caption }) => (photo ? [caption] : []));
const albums = () => service.sandbox.calls.filter(({ method }) => method === "sendMediaGroup");

test("/start shows kinds and examples, and two taps and a payment make what an example shows", async () => {
  service.provider.holds = true;
  const boris = chatter(BORIS.id);
  boris.say("/start");
  const hello = await boris.seeButton("🎵 Музыка", "Здравствуйте");
  expect(labelsOf(hello)).toHaveLength(6);
  const shown = picturesOf(boris);
  expect(shown).toHaveLength(3);
  const example = labelsOf(hello).find((label) => label.startsWith("🖼 Лиса в")) ?? "";
  await Promise.all([
    boris.person.tap(hello, example).answered(),
    boris.person.tap(hello, example).answered(),
  ]);
  await boris.seeButton("✅", "Лиса в");
  expect(boris.heard().filter((one) => labelsOf(one).some((label) => label.startsWith("✅")))).toHaveLength(
    1,
  );
  await boris.press("✅");
  const { request } = await eventually("a task of the provider", () => service.provider.tasks[0]);
  expect(request).toMatchObject({ type: "image", prompt: shown[0] });
});

test("the pictures are uploaded for the first greeting only, and a word of greeting is one", async () => {
  const ann = chatter(ANN.id);
  const boris = chatter(BORIS.id);
  ann.say("Hi!");
  await ann.seeButton("🎬 Video", "Hello, Ann");
  boris.say("привет");
  await boris.seeButton("🎬 Видео", "Здравствуйте");
  expect(albums().map(({ params }) => JSON.stringify(params.media).includes("attach://"))).toEqual([
    true,
    false,
  ]);
  expect(picturesOf(boris)).toHaveLength(3);
});

test("a greeting arrives also while Telegram refuses its pictures", async () => {
  service.sandbox.faults.add({
    method: "sendMediaGroup",
    answer: { type: "status", code: 400, description: "Bad Request: wrong file" },
  });
  const ann = chatter(ANN.id);
  ann.say("/start");
  await ann.press("🎵 Music", "Hello, Ann");
  await ann.see("Which model for the song?");
  expect(picturesOf(ann)).toEqual([]);
});

test("in a group the greeting's buttons are of the person who was greeted", async () => {
  const ann = chatter(ANN.id, service.sandbox.groupId);
  const boris = chatter(BORIS.id, service.sandbox.groupId);
  ann.say(toBot(service, "/start"));
  const hello = await ann.seeButton("🖼 Image", "Hello, Ann");
  const refused = await boris.person.tap(hello, "🖼 Image", service.sandbox.groupId).answered();
  expect(refused.text).toContain("Это чужие кнопки");
  ann.person.tap(hello, "🎬 A sailing boat on a moonlit sea", service.sandbox.groupId);
  await ann.seeButton("✅", "👤 Ann");
});
