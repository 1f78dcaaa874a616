import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BodyBudget, BodyReservation, readBody } from "../../../src/http/v1/read-body.js";

const CHUNK = Buffer.alloc(64 * 1024, "x");
const BODY_BYTES = 160 * CHUNK.length;

test("a body that is there at once is read in many rounds of the event loop", async () => {
  let taken = 0;
  const payload = new Readable({
    read() {
      taken += CHUNK.length;
      this.push(taken > BODY_BYTES ? null : CHUNK);
    },
  });
  let before = 0;
  let most = 0;
  let isOver = false;
  const look = () => {
    most = Math.max(most, taken - before);
    before = taken;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const reservation = new BodyReservation(new BodyBudget(), 1, response);
  const bytes = await readBody(payload, { "content-length": String(BODY_BYTES) }, reservation);
  isOver = true;
  look();
  expect(bytes.equals(Buffer.alloc(BODY_BYTES, "x"))).toBe(true);
  expect(most).toBeLessThanOrEqual(512 * 1024);
});
