import { expect, test } from "vitest";
import type { SaleRow } from "../../src/catalogue/costs.js";
import { Offers } from "../../src/catalogue/offers.js";
import { watchOffers } from "../../src/catalogue/watch-offers.js";
import { systemClock } from "../../src/platform/clock.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { offersFile } from "../core/offers/offers-file.js";
import { silentLogger } from "../support/log.js";
import { operator } from "./harness.js";

const providers = ["fal", "kie"];
const OFFERS = { others: "disabled", markup: 2, models: { "nano-banana-pro": { price_rub: "from cost" } } };

test("offers show tells what is sold by whom, at what cost and margin", async () => {
  const { file } = offersFile(OFFERS);
  const { ctl, json, failure } = operator({ offersFile: file, providers });
  expect((await ctl("offers show")).out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["model", "provider", "price, RUB", "cost, RUB", "margin, RUB", "margin, %", "lowest at"],
    ["nano-banana-pro", "fal", "27 to 54", "13.5 to 27", "13.5 to 27", "50", "resolution 1K"],
    ["nano-banana-pro", "kie", "27 to 54", "8.1 to 10.8", "18.9 to 43.2", "70 to 80", "resolution 1K"],
    [""],
  ]);
  const [row] = (await json("offers show")) as SaleRow[];
  expect(row).toMatchObject({ model: "nano-banana-pro", provider: "fal", type: "image" });
  expect(row?.prices).toContainEqual({ at: "resolution 4K", price: 54, cost: 27, margin: 27 });
  expect((await ctl("offers show --model nano-banana-pro")).out).toMatch(
    /^kie +resolution 4K +54 +10.8 +43.2 +80$/m,
  );
  expect(await failure("offers show --model fox")).toBe('nothing is sold as "fox"');
});

test("a renderer sells without a cost", async () => {
  const rows = (await operator().json("offers show")) as SaleRow[];
  expect(rows.find(({ model }) => model === "music:suno-v6")).toMatchObject({
    provider: "local",
    prices: [{ at: "", price: 25, cost: null, margin: null }],
  });
});

test("the check and the figures count with the offers", async () => {
  const { file } = offersFile({ models: { "seedream-5": { price_rub: { "1K": 1, "2K": 9 } } } });
  const { ctl } = operator({ offersFile: file, providers });
  const { out } = await ctl("catalogue check seedream-5");
  expect(out).toMatch(/^1 model, /);
  expect(out).toContain("seedream-5: kie: 1 RUB at resolution 1K is below its cost: 3.15 RUB would cover it");
  expect(out).not.toContain("veo");
});

test("a wrong file is one line, and the service is not asked", async () => {
  const { file } = offersFile({ models: { fox: {} } });
  const { ctl, failure } = operator({ offersFile: file, providers });
  for (const command of ["offers show", "offers reload", "catalogue check", "stats"])
    expect(await failure(command)).toBe(`${file}: models.fox: the catalogue has no such model`);
  expect(await ctl("offers reload")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^ctl: [^\n]*\n$/),
  });
  expect(await operator().failure("offers reload")).toBe(
    "OFFERS_FILE is not set: there is nothing to read anew",
  );
  expect(await operator({ isCoreElsewhere: true }).failure("offers show")).toContain("CORE=api");
});

test("offers reload waits for the service, and tells its answer", async () => {
  const { file, write } = offersFile(OFFERS);
  const { open, json, failure } = operator({ offersFile: file, providers });
  const elsewhere = offersFile({});
  const database = open("service");
  const offers = new Offers({ catalogueFile: "data/catalogue.json", offersFile: elsewhere.file, providers });
  const watch = watchOffers({
    offers,
    database,
    notices: new NoticeQueue(),
    clock: systemClock,
    logger: silentLogger(),
  });
  watch.start();
  expect(await json("offers reload")).toEqual({ models: 1 });
  // The service's own file counts, wherever the command was run.
  elsewhere.write({ floor: -1 });
  write(OFFERS);
  expect(await failure("offers reload")).toMatch(/^OFFERS_FILE: .*floor: must be 0 or more$/);
  await watch.stop();
  await database.close();
});
