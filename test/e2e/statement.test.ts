import { afterEach, beforeEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

test("a person sees what an order cost, when, and takes the list away as a file", async () => {
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();
  ann.say("/balance");
  const { text = "", entities = [] } = await ann.see("What came and went");
  expect(entities.filter(({ type }) => type === "date_time")).toHaveLength(2);
  expect(text).toContain("Welcome gift · +100\u00a0₽");
  expect(text).toMatch(/Nano Banana 2\.1.* · −10\u00a0₽/);
  await ann.press("📊 Statement (CSV)");
  const { document } = await ann.see(({ document }) => document?.file_name?.endsWith(".csv") === true);
  expect(document?.file_size).toBeGreaterThan(100);
});
