import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ReloadRequests } from "../../src/catalogue/watch-offers.js";
import { asKopecks } from "../../src/contract/price.js";
import { systemClock } from "../../src/platform/clock.js";
import { offersFile } from "../core/offers/offers-file.js";
import { ApiAccount } from "../support/api-accounts.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { newFolder } from "../support/new-folder.js";
import { ANN, startTestService } from "../support/service.js";

const MODEL = "nano-banana-2";

/** A service with offers that a test rewrites, and lets the service read anew. */
async function startWithOffers(content: object, environment: Record<string, string> = {}) {
  const { file, write } = offersFile(content);
  const service = await startTestService({ environment: { OFFERS_FILE: file, ...environment } });
  const requests = new ReloadRequests(service.database, systemClock);
  const reload = async (next: object) => {
    write(next);
    const id = await requests.ask();
    return eventually("the service answers", () => requests.outcomeOf(id));
  };
  return { service, reload, ann: new Chatter(service.sandbox.person(ANN.id)) };
}

const priced = (rubles: number) => ({
  models: { [MODEL]: { price_rub: { "1K": rubles, "2K": rubles, "4K": rubles } } },
});

test("an open card shows the new price before it takes it, and an order of before keeps its own", async () => {
  const { service, reload, ann } = await startWithOffers(priced(12));
  service.provider.holds = true;
  ann.say("/image a red fox");
  await ann.press(/^✅.*12\u00a0₽/);
  await eventually("the order is charged", () => service.balanceOf(ANN.id) === 88);
  ann.say("/image a blue fox");
  // The card of the first order may still have its button.
  await ann.seeButton(/^✅.*12\u00a0₽/, "a blue fox");

  expect(await reload(priced(30))).toEqual({ problem: null });
  await ann.press(/^✅.*12\u00a0₽/, "a blue fox");
  await ann.seeButton(/^✅.*30\u00a0₽/);
  expect(service.balanceOf(ANN.id)).toBe(88);
  await ann.press(/^✅.*30\u00a0₽/);
  await eventually("the second order is charged", () => service.balanceOf(ANN.id) === 58);

  expect(await reload({ models: { [MODEL]: { status: "disabled" } } })).toEqual({ problem: null });
  service.provider.holds = false;
  await eventually("both jobs run", () => service.provider.held.length === 2);
  for (const held of service.provider.held.slice()) held.finish();
  await eventually("both pictures come", () => ann.photos().length === 2);
  expect(service.balanceOf(ANN.id)).toBe(58);
});

test("with nothing but one own picture model the service works in the chat and the API", async () => {
  const directory = newFolder();
  const { style_presets, models } = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
  const [{ mappings: _, default: __, ...image }] = models;
  const own = { ...image, model_key: "mine", title: "Mine" };
  const file = join(directory, "catalogue.json");
  writeFileSync(file, JSON.stringify({ style_presets, models: [own] }));
  const { service, ann } = await startWithOffers({}, { CATALOGUE_FILE: file });
  ann.say("/start");
  await ann.see("Hello");
  ann.say("/video a red fox");
  await ann.see(/videos/i);
  ann.say("/image a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();

  const { adminService, httpAddress } = service;
  const { id } = await adminService.createAccount("studio");
  await adminService.credit(id, asKopecks(10_000), null);
  const { key } = await adminService.createKey(id, null);
  const client = new ApiAccount(httpAddress, key);
  const prompt = "a red fox";
  expect(await client.post({ type: "image", prompt })).toMatchObject({ ok: true, status: "queued" });
  expect(await client.post({ type: "video", prompt })).toMatchObject({
    ok: false,
    error: "bad_video_model",
    allowed: [],
  });
  expect((await fetch(`${httpAddress}/openapi.json`)).status).toBe(200);
  expect((await fetch(`${httpAddress}/docs`)).status).toBe(200);
});
