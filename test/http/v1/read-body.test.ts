import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BodyBudget, BodyReservation, readBody } from "../../../src/http/v1/read-body.js";

const CHUNK = Buffer.alloc(64 * 1024, "x");
const BODY_BYTES = 160 * CHUNK.length;

test.each([1, 3])(
  "of %i bodies that are there at once few bytes are read in a round of the event loop",
  async (count) => {
    let taken = 0;
    const bodyThatIsThere = () => {
      let given = 0;
      return new Readable({
        read() {
          taken += CHUNK.length;
          given += CHUNK.length;
          this.push(given > BODY_BYTES ? null : CHUNK);
        },
      });
    };
    let before = 0;
    let most = 0;
    let isOver = false;
    const look = () => {
      most = Math.max(most, taken - before);
      before = taken;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    const budget = new BodyBudget();
    const read = Array.from({ length: count }, (_, account) => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      const reservation = new BodyReservation(budget, account, response);
      return readBody(bodyThatIsThere(), { "content-length": String(BODY_BYTES) }, reservation);
    });
    for (const bytes of await Promise.all(read))
      expect(bytes.equals(Buffer.alloc(BODY_BYTES, "x"))).toBe(true);
    isOver = true;
    look();
    // A stream of this kind keeps a chunk ahead of the one that it gives.
    expect(most).toBeLessThanOrEqual(256 * 1024 + 2 * count * CHUNK.length);
  },
);
