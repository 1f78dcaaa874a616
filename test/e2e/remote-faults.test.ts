import { describe, expect, test } from "vitest";
import { MODEL, openFaultyBot } from "../support/faulty-bot.js";
import { type Behaviour, cut, page, reset } from "../support/faulty-service.js";

const NOT_CERTAIN = /isn’t certain whether/;
const NOTHING_CHARGED = /nothing was charged/;

/** One fault of each kind: test/client/faults.test.ts has all. */
const DOUBTS: [string, Behaviour][] = [
  ["reset after the POST", (_response, request) => reset(request)],
  ["200 cut before the id", cut('{"ok":true,"job_id":12')],
  ["page of a proxy", page(502)],
];

describe("what a person reads of a POST", () => {
  test("that may have been accepted: that this is not certain, and it is sent once", async () => {
    const { service, world, pay, reads } = await openFaultyBot();
    for (const [which, fault] of DOUBTS) {
      const sent = service.posts.length;
      world.post = (response, request, body) => {
        service.accept(request, body);
        fault(response, request, body);
      };
      const read = await pay();
      await reads(read, NOT_CERTAIN, which);
      expect([service.posts.length - sent, read().some((text) => NOTHING_CHARGED.test(text))]).toEqual([
        1,
        false,
      ]);
    }
  });

  test("that was not sent: what has changed, or that the service does not answer", async () => {
    const { service, world, pay, reads } = await openFaultyBot();
    const changed = () => {
      world.models = [{ ...MODEL, price_rub: 12 }];
    };
    await reads(await pay(changed), /price has changed/, "changed price");
    const removed = () => {
      world.models = [{ ...MODEL, model_key: "wolf" }];
    };
    await reads(await pay(removed), /switched off/, "removed model");
    world.models = [MODEL];
    const gone = () => {
      service.onConnection = (socket) => socket.resetAndDestroy();
      service.behave = (_response, request) => reset(request);
    };
    await reads(await pay(gone), NOTHING_CHARGED, "connections are reset");
    expect(service.posts).toEqual([]);
  });
});
