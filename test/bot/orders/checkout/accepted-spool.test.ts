import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AcceptedSpool } from "../../../../src/bot/orders/accepted-spool.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { recordingLogger } from "../../../support/log.js";

const newFile = () => join(mkdtempSync(join(tmpdir(), "atelier-spool-")), "accepted-orders.spool");

test("what was saved is read by another process, for the owner only, until it is removed", () => {
  const file = newFile();
  new AcceptedSpool(file).save({ order_id: "one", job_ids: [1, 2] });
  new AcceptedSpool(file).save({ order_id: "two", job_ids: ["music_3"], charged_kopecks: asKopecks(750) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const spool = new AcceptedSpool(file);
  const two = { order_id: "two", job_ids: ["music_3"], charged_kopecks: 750 };
  expect(spool.read()).toEqual({ kept: [{ order_id: "one", job_ids: [1, 2] }, two], unreadable: [] });
  spool.forget("one");
  expect(spool.read().kept).toEqual([two]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  spool.forget("two");
  expect(existsSync(file)).toBe(false);
  spool.forget("two");
  expect(spool.read()).toEqual({ kept: [], unreadable: [] });
});

test("a line that a crash has cut spoils no other", () => {
  const file = newFile();
  const spool = new AcceptedSpool(file);
  spool.save({ order_id: "one", job_ids: [1] });
  appendFileSync(file, '{"order_id":"two","job_i');
  spool.save({ order_id: "three", job_ids: [3] });
  const { kept, unreadable } = spool.read();
  expect(kept.map(({ order_id }) => order_id)).toEqual(["one", "three"]);
  expect(unreadable).toEqual(['{"order_id":"two","job_i']);
});

test("at the end of the process what was being written is saved, and in the log even where no file can be", () => {
  const file = newFile();
  const { logger, lines } = recordingLogger();
  const spool = new AcceptedSpool(file);
  spool.hold({ order_id: "one", job_ids: [1] });
  spool.hold({ order_id: "two", job_ids: [2] });
  spool.release("two");
  spool.saveHeld(logger);
  expect(spool.read().kept).toEqual([{ order_id: "one", job_ids: [1] }]);
  const broken = new AcceptedSpool(join(file, "below-a-file"));
  broken.hold({ order_id: "three", job_ids: [3] });
  broken.saveHeld(logger);
  expect(lines).toMatchObject([
    { order_id: "one", job_ids: [1] },
    { order_id: "three", job_ids: [3], err: {} },
  ]);
  expect(readFileSync(file, "utf8")).not.toContain("three");
});
