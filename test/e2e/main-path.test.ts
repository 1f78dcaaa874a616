import { expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { ANN, startTestService } from "../support/service.js";

test("from a chat message to a finished picture: its settings and words are asked for, it is paid once, and stands in the balance", async () => {
  const service = await startTestService();
  const one = new Chatter(service.sandbox.person(ANN.id));
  one.say("/start");
  await one.see("100\u00a0₽");
  one.say("/image");
  await one.press(/^Quality/);
  await one.press("2K");
  const card = await one.seeButton("Quality: 2K");
  expect(labelsOf(card).some((label) => label.startsWith("✅"))).toBe(false);
  one.say("a fox & <b>snow</b>");
  const pay = await one.press("✅ Generate · 15\u00a0₽");
  expect((await pay.answered()).text).toBeTruthy();
  const photo = await one.seePhoto();
  expect(photo.caption).toContain("a fox & <b>snow</b>");
  expect(photo.caption).toContain("Nano Banana 2.1 · 15\u00a0₽ · balance\u00a085\u00a0₽");
  expect(labelsOf(photo)).toContain("⚙️ Adjust");
  expect(service.balanceOf(ANN.id)).toBe(85);
  expect(service.provider.tasks).toHaveLength(1);
  expect(service.provider.tasks[0]?.request).toMatchObject({
    resolution: "2K",
    prompt: "a fox & <b>snow</b>",
  });
  expect(service.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  one.say("/balance");
  const { entities = [] } = await one.see(/−15\u00a0₽/);
  expect(entities.filter(({ type }) => type === "date_time")).toHaveLength(2);
});
