import { afterEach, beforeEach, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
});
afterEach(() => service.close());

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
const picturesOf = (one: Chatter) => one.heard().flatMap(({ photo, caption }) => (photo ? [caption] : []));

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
