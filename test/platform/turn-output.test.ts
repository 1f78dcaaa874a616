import { pino } from "pino";
import { expect, test } from "vitest";
import { TurnOutput } from "../../src/platform/logger.js";

function setup() {
  const writes: string[] = [];
  const output = new TurnOutput({ write: (text) => void writes.push(text) });
  const logger = pino({ base: null, timestamp: false }, output);
  const messages = () =>
    writes.map((text) =>
      text
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    );
  return { logger, messages };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("the lines of one turn of the event loop are one write, in their order", async () => {
  const { logger, messages } = setup();
  logger.info("one");
  await Promise.resolve();
  logger.info("two");
  expect(messages()).toEqual([]);
  await nextTurn();
  expect(messages()).toEqual([["one", "two"]]);
  logger.info("three");
  await nextTurn();
  expect(messages()).toEqual([["one", "two"], ["three"]]);
});

test("nothing is lost before an end: a flush writes at once, and so does a fatal line", async () => {
  const { logger, messages } = setup();
  logger.info("stopped");
  logger.flush();
  expect(messages()).toEqual([["stopped"]]);
  logger.warn("hm");
  logger.fatal("start failed");
  expect(messages()).toEqual([["stopped"], ["hm", "start failed"]]);
  await nextTurn();
  expect(messages()).toHaveLength(2);
});
