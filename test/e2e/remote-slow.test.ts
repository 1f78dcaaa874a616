import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { openFaultyBot, PNG } from "../support/faulty-bot.js";
import type { Behaviour } from "../support/faulty-service.js";
import { createMovableClock } from "../support/movable-clock.js";

const hang: Behaviour = () => {};
/** A byte at a time, which never becomes an answer. */
const drip: Behaviour = (response) =>
  dripOn(response, "application/json", [...'{"ok":true', ...Array(5000).fill(" ")]);
/** A byte of the picture at a time, and then none. */
const dripFile: Behaviour = (response) =>
  dripOn(
    response,
    "image/png",
    [...PNG.subarray(0, 20)].map((byte) => Buffer.of(byte)),
  );

/** Emits `pause` on the response after the last byte. */
function dripOn(response: ServerResponse, type: string, rest: (string | Buffer)[]): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": type });
  const [next, ...others] = rest;
  if (response.destroyed) return;
  if (next === undefined) return void response.emit("pause");
  response.write(next, () => setTimeout(() => dripOn(response, type, others), 5));
}

const SLOW: [string, Behaviour, Behaviour][] = [
  ["hangs", hang, hang],
  ["drips", drip, dripFile],
];

const NOT_CERTAIN = /isn’t certain whether/;
const NOTHING_CHARGED = /nothing was charged/;
const NOT_YET = /hasn’t answered yet/;
const NO_ANSWER = /isn’t answering/;
const MADE = /PHOTO/;

async function openBot() {
  const clock = createMovableClock();
  const opened = await openFaultyBot({ clock });
  const { service, ann } = opened;
  /** Draws a card and pays it, without waiting for an answer. Returns what Ann reads from then on, growing. */
  async function tapPay(prompt: string, beforeTap = () => {}) {
    ann.say(`/image ${prompt}`);
    const card = await ann.seeButton("✅", prompt);
    beforeTap();
    const tap = await ann.press("✅", prompt);
    const later = () => ann.heard().filter(({ message_id }) => message_id >= card.message_id);
    return { tap, read: () => later().map(({ text, photo }) => text ?? (photo ? "PHOTO" : "")) };
  }
  const posted = () => eventually("the POST", () => service.posts.length > 0);
  return { ...opened, clock, tapPay, posted };
}

describe.each(SLOW)("a service that %s", (which, slow, slowFile) => {
  test("after a POST: its person reads within 10 s that it takes long, and in the end that it is not certain", async () => {
    const { service, world, clock, tapPay, posted, reads } = await openBot();
    world.post = (response, request, body) => {
      service.accept(request, body);
      slow(response, request, body);
    };
    const { tap, read } = await tapPay("a red fox");
    await posted();
    clock.skip(10_000);
    await reads(read, NOT_YET, which);
    await tap.answered();
    expect(read().some((text) => NOT_CERTAIN.test(text))).toBe(false);
    clock.skip(50_000);
    await reads(read, NOT_CERTAIN, which);
    clock.skip(600_000);
    expect(read().filter((text) => NOTHING_CHARGED.test(text))).toEqual([]);
    expect([service.posts.length, service.jobs.size]).toEqual([1, 1]);
  });

  test("before a POST: nothing is sent or charged, and a balance is not waited for", async () => {
    const { service, clock, ann, tapPay, reads } = await openBot();
    const { behave } = service;
    ann.say("/image a red fox");
    await ann.seeButton("✅", "a red fox");
    const { read } = await tapPay("a blue fox", () => {
      service.behave = slow;
    });
    await eventually("its answer", () => {
      clock.skip(1000);
      return read().some((text) => NOTHING_CHARGED.test(text));
    });
    const { message_id } = ann.say("/balance");
    await eventually("another answer", () => {
      clock.skip(1000);
      return ann.heard().some((one) => one.message_id > message_id && NO_ANSWER.test(one.text ?? ""));
    });
    service.behave = behave;
    ann.say("/balance");
    await reads(() => ann.heard().map(({ text = "" }) => text), /12\.50/, which);
    expect(service.posts).toEqual([]);
  });

  test("at a look or at a file: it is asked again, and the order arrives", async () => {
    const { service, world, clock, tapPay, reads } = await openBot();
    // Each time that nothing more comes, the time passes after which it is asked again.
    const patiently =
      (behaviour: Behaviour): Behaviour =>
      (response, request, body) => {
        response.on("pause", () => clock.skip(20_000));
        behaviour(response, request, body);
        if (behaviour !== dripFile) clock.skip(20_000);
      };
    world.looks = [slow, slow].map(patiently);
    world.files = [slowFile, slowFile].map(patiently);
    const { read } = await tapPay("a red fox");
    await reads(read, MADE, which);
    expect(service.posts).toHaveLength(1);
  });
});
