import { describe, expect, test } from "vitest";
import { MODEL, openFaultyBot, PNG } from "../support/faulty-bot.js";
import { type Behaviour, cut, json, page, reset } from "../support/faulty-service.js";

const CODE = (error: string, detail: object = {}) => ({ ok: false, error, ...detail });
const NOT_CERTAIN = /isn’t certain whether/;
const NOTHING_CHARGED = /nothing was charged/;
const MADE = /PHOTO/;

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

  test.each([undefined, 86_400])(
    "that was not accepted: that nothing was charged (keys: %s)",
    async (sec) => {
      const { service, world, pay, reads } = await openFaultyBot({
        ...(sec !== undefined && { retentionSec: sec }),
      });
      const cases: [string, Behaviour, RegExp][] = [
        ["429", json(429, CODE("rate_limited")), NOTHING_CHARGED],
        ["429 with Retry-After", json(429, CODE("rate_limited"), { "retry-after": "600" }), NOTHING_CHARGED],
        ["revoked key", json(401, CODE("invalid_api_key")), NOTHING_CHARGED],
        ["page of a sign-in", page(403), NOTHING_CHARGED],
        ["removed model", json(400, CODE("model_disabled")), /switched off/],
        ["low balance", json(402, CODE("insufficient_funds", { balance: 4, cost_rub: 10 })), /6.₽ short/],
      ];
      for (const [which, fault, words] of cases) {
        const sent = service.posts.length;
        world.post = fault;
        const read = await pay();
        await reads(read, words, which);
        expect(service.posts.length - sent, which).toBe(1);
        expect(
          read().some((text) => NOT_CERTAIN.test(text)),
          which,
        ).toBe(false);
      }
    },
  );

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

test("an accepted order arrives although its link has expired, is redirected or breaks", async () => {
  const { service, world, pay, reads } = await openFaultyBot();
  const whole: Behaviour = (response) => response.writeHead(200, { "content-type": "image/png" }).end(PNG);
  const half: Behaviour = (response, request) => {
    response.writeHead(200, { "content-type": "image/png", "content-length": PNG.length });
    response.write(PNG.subarray(0, 20), () => reset(request));
  };
  const redirect: Behaviour = (response) =>
    response.writeHead(302, { location: `${service.url}/file/moved` }).end();
  const cases: [string, Behaviour[]][] = [
    ["expired three times", [page(403), page(403), page(403)]],
    ["expired before the second look", [whole, page(403)]],
    ["redirect", [redirect, whole, redirect]],
    ["reset in the middle", [whole, half]],
  ];
  for (const [which, files] of cases) {
    world.files = files;
    await reads(await pay(), MADE, which);
  }
});
