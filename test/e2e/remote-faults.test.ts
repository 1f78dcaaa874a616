import { describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { JSON_TYPE, json, MODEL, openFaultyBot, PNG } from "../support/faulty-bot.js";
import { type Behaviour, RETENTION, reset } from "../support/faulty-service.js";
import { startHttpsServer } from "../support/https-server.js";
import { startFrontEnd } from "../support/remote-core.js";
import { ANN } from "../support/service.js";

function page(status: number): Behaviour {
  return (response) => {
    response.removeHeader(RETENTION);
    response.writeHead(status, { "content-type": "text/html" }).end("<html>Gateway</html>");
  };
}

/** Sends the beginning of a body, then resets. */
function cut(text: string): Behaviour {
  return (response, request) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": 1000 });
    response.write(text, () => reset(request));
  };
}

const CODE = (error: string, detail: object = {}) => ({ ok: false, error, ...detail });
const NOT_CERTAIN = /isn’t certain whether/;
const NOTHING_CHARGED = /nothing was charged/;
const MADE = /PHOTO/;

const DOUBTS: [string, Behaviour][] = [
  ["reset after the POST", (_response, request) => reset(request)],
  ["200 cut before the id", cut('{"ok":true,"job_id":12')],
  ["500 after the acceptance", json(500, CODE("internal_error"))],
  ["page of a proxy", page(502)],
  ["page instead of an answer", page(200)],
  ["id of an unknown type", json(200, { ok: true, job_id: { n: 5 } })],
  ["huge body", (response) => void response.writeHead(200).end(Buffer.alloc(9_000_000, "x"))],
];

describe("what a person reads of a POST", () => {
  test("that may have been accepted: that this is not certain, and it is sent once", async () => {
    const { service, world, pay, reads } = await openFaultyBot();
    const redirect: Behaviour = (response) =>
      response.writeHead(307, { location: `${service.url}/elsewhere` }).end();
    for (const [which, fault] of [...DOUBTS, ["redirect", redirect] as const]) {
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
    expect(service.gets.some(({ path }) => path.includes("elsewhere"))).toBe(false);
  });

  test("in doubt where keys are honoured: nothing but its picture, and one job is made", async () => {
    const { service, world, pay, reads } = await openFaultyBot({ retentionSec: 86_400 });
    for (const [which, fault] of DOUBTS) {
      const made = service.jobs.size;
      world.post = (response, request, body) => {
        service.accept(request, body);
        fault(response, request, body);
      };
      const read = await pay();
      await reads(read, MADE, which);
      expect([service.jobs.size - made, read().some((text) => NOT_CERTAIN.test(text))], which).toEqual([
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

  test("of a service whose certificate is not trusted: that it does not answer", async () => {
    const server = await startHttpsServer((_request, response) => response.end());
    const front = await startFrontEnd({ url: `https://127.0.0.1:${server.port}/v1`, key: "foreign-key" });
    const ann = new Chatter(front.sandbox.person(ANN.id));
    ann.say("/image a fox");
    await ann.see(/isn’t answering/);
  });
});

describe("an accepted order arrives", () => {
  test("although its acceptance or its job is told in unknown ways", async () => {
    const { service, world, pay, reads, job } = await openFaultyBot();
    const accepted = (id: unknown, more: object = {}): Behaviour => {
      return (response, request, body) => {
        service.accept(request, body);
        json(200, { ok: true, job_id: id, status: "queued", cost_rub: 10, ...more })(response, request, body);
      };
    };
    const linkless = { result: { url: null, mime: null } };
    const cases: [string, Behaviour | undefined, Behaviour[]][] = [
      ["unknown status", accepted(71, { status: "scheduled" }), [job(71, { status: "moderating" })]],
      ["id that is a word", accepted("fx-7"), []],
      ["cut after the id", cut('{"ok":true,"job_id":72,"job_ids":[72],"sta'), []],
      ["`url` null for a while", accepted(73), [job(73, linkless), job(73, linkless)]],
      ["page of a proxy, 429 and 500", accepted(74), [page(502), json(429, {}), json(500, {})]],
      ["reset of a look", accepted(75), [(_response, request) => reset(request)]],
    ];
    for (const [which, post, looks] of cases) {
      world.post = post;
      world.looks = looks;
      await reads(await pay(), MADE, which);
    }
    expect(service.posts).toHaveLength(cases.length);
  });

  test("although its link has expired, is redirected or breaks", async () => {
    const { service, world, pay, reads } = await openFaultyBot();
    const whole: Behaviour = (response) => response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    const half: Behaviour = (response, request) => {
      response.writeHead(200, { "content-type": "image/png", "content-length": PNG.length });
      response.write(PNG.subarray(0, 20), () => reset(request));
    };
    const redirect: Behaviour = (response) =>
      response.writeHead(302, { location: `${service.url}/file/moved` }).end();
    const cases: [string, Behaviour[]][] = [
      ["expired", [page(403)]],
      ["expired before the second look", [whole, page(403)]],
      ["redirect", [redirect, whole, redirect]],
      ["reset in the middle", [whole, half]],
    ];
    for (const [which, files] of cases) {
      world.files = files;
      await reads(await pay(), MADE, which);
    }
  });

  test("or its person reads that it failed, and that nobody said whether the money is back", async () => {
    const { world, pay, reads, job } = await openFaultyBot();
    const failed = job(1000, { status: "error", result: null, error: "It broke." });
    world.looks = Array.from({ length: 20 }, () => failed);
    const read = await pay();
    await reads(read, /didn’t say whether 10/, "failed");
    expect(read().some((text) => /money is back/.test(text))).toBe(false);
  });
});
