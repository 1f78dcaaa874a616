import { describe, expect, onTestFinished, test } from "vitest";
import { AuditLog } from "../../../src/accounts/audit-log.js";
import { Offers } from "../../../src/catalogue/offers.js";
import {
  FIRST_LOOK_MS,
  PriceWatch,
  ReloadRequests,
  watchOffers,
} from "../../../src/catalogue/watch-offers.js";
import type { OperatorNotice } from "../../../src/ports/operator-notices.js";
import { eventually } from "../../support/eventually.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";
import { openDatabase } from "../../support/test-database.js";
import { recordedNotices } from "../../support/told-notices.js";
import { offersFile } from "./offers-file.js";

const TABLE = { "1K": 1, "2K": 9 };
const LOSS = { others: "disabled", models: { "seedream-5": { price_rub: TABLE } } };
const DAY_MS = 86_400_000;
const CATALOGUE = { catalogueFile: "data/catalogue.json", providers: ["fal", "kie"] };

/** What watches the offers of a file, over a database that outlives it. */
function openWatch(content: unknown, { database = openDatabase() } = {}) {
  const { file, write } = offersFile(content);
  const clock = createManualClock(Date.parse("2026-11-24"));
  const { logger, lines } = recordingLogger("debug");
  const told: OperatorNotice[] = [];
  const offers = new Offers({ ...CATALOGUE, offersFile: file });
  const options = {
    offers,
    database,
    notices: recordedNotices(database, clock, told),
    clock,
    logger,
  };
  const watch = watchOffers(options);
  const requests = new ReloadRequests(database, clock);
  onTestFinished(() => watch.stop());
  /** Lets the first look at prices pass. */
  const begin = async () => {
    watch.start();
    await clock.advance(FIRST_LOOK_MS);
  };
  return { begin, watch, options, offers, write, database, clock, lines, told, requests };
}

describe("prices below cost", () => {
  test("are named at the start by model and service with the sum that would cover them, and told to admins", async () => {
    const { begin, lines, told } = openWatch(LOSS);
    await begin();
    await eventually("it is so", () => told.length > 0);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "seedream-5: fal: 1 RUB at resolution 1K is below its cost: 6.08 RUB would cover it; 1 more price is below its cost",
      "seedream-5: kie: 1 RUB at resolution 1K is below its cost: 3.15 RUB would cover it",
    ]);
    expect(told).toEqual([
      {
        kind: "prices_below_cost",
        losses: [
          { title: "Seedream 5", service: "fal", price: 100, cost: 608 },
          { title: "Seedream 5", service: "kie", price: 100, cost: 315 },
        ],
        more: 0,
      },
    ]);
  });

  test("are told again when the list changed, and not by a restart", async () => {
    const first = openWatch(LOSS);
    await first.begin();
    await eventually("it is so", () => first.told.length > 0);
    await first.watch.stop();
    const second = openWatch(LOSS, first);
    await second.begin();
    await eventually("it is so", () => second.lines.length > 0);
    second.write({ ...LOSS, models: { "seedream-5": { price_rub: { ...TABLE, "1K": 2 } } } });
    second.offers.reload();
    await eventually("it is so", () => second.told.length > 0);
    expect(second.told).toHaveLength(1);
    expect(JSON.stringify(second.told)).toContain('"price":200');
  });

  test("that are gone and come back are told anew", async () => {
    const { begin, offers, write, told } = openWatch(LOSS);
    await begin();
    write({ ...LOSS, floor: 1 });
    offers.reload();
    write(LOSS);
    offers.reload();
    await eventually("the losses are told again", () => told.length > 1);
    expect(told.map(({ kind }) => kind)).toEqual(["prices_below_cost", "prices_below_cost"]);
  });

  test("come with the age of rates on the day on which they grow old", async () => {
    const { options, clock, told } = openWatch({ floor: 1 });
    const watch = new PriceWatch(options);
    watch.start();
    await clock.advance(28 * DAY_MS);
    expect(told).toEqual([]);
    await clock.advance(5 * DAY_MS);
    watch.stop();
    await eventually("it is told", () => told.length > 0);
    expect(told).toEqual([{ kind: "rates_old", days: 31 }]);
  });
});

test("a request to read the offers anew is answered within a second with what is sold from then on; a wrong file changes nothing", async () => {
  const { watch, offers, write, clock, requests, lines, database } = openWatch({});
  watch.start();
  const reload = async (content: unknown) => {
    write(content);
    const id = await requests.ask();
    expect(requests.outcomeOf(id)).toBeUndefined();
    await clock.advance(1000);
    return eventually("its answer", () => requests.outcomeOf(id));
  };
  const { problem } = await reload({ floor: -1 });
  expect(problem).toMatch(/^OFFERS_FILE: .*offers.json: floor: must be 0 or more$/);
  const words = { msg: "offers not read anew: those of before stay" };
  expect(lines).toContainEqual(expect.objectContaining(words));
  const acts = () => new AuditLog(database, clock).list({ limit: 9 });
  expect(acts()).toEqual([]);
  const price_rub = { "1K": 50, "2K": 60 };
  expect(await reload({ models: { "seedream-5": { price_rub } } })).toEqual({ problem: null });
  expect(offers.current().find("image", "seedream-5")?.model.price_rub).toEqual(price_rub);
  expect(acts()).toMatchObject([{ actor: "ctl", act: "reload", subject: "offers" }]);
});

test("a job that was sold under a title of before still finds it", () => {
  const { offers, write } = openWatch({ models: { "seedream-5": { title: "Poster" } } });
  write({ models: { "seedream-5": { title: "Cover" } } });
  offers.reload();
  write({});
  offers.reload();
  expect(offers.current().find("image", "seedream-5")).toMatchObject({
    title: "Seedream 5",
    formerTitles: ["Poster", "Cover"],
  });
});
