import { expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { openFaultyBot } from "../support/faulty-bot.js";
import type { Behaviour } from "../support/faulty-service.js";
import { createMovableClock } from "../support/movable-clock.js";

/** A byte at a time, which never becomes an answer. */
const drip: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const write = () => void (response.destroyed || response.write(" ", () => setTimeout(write, 5)));
  write();
};

const NOT_CERTAIN = /isn’t certain whether/;
const NOTHING_CHARGED = /nothing was charged/;
const NOT_YET = /hasn’t answered yet/;

test.each<[string, Behaviour]>([
  ["hangs", () => {}],
  ["drips", drip],
])(
  "after a POST to a service that %s its person reads within 10 s that it takes long, and in the end that it is not certain",
  async (which, slow) => {
    const clock = createMovableClock();
    const { service, world, ann, reads } = await openFaultyBot({ clock });
    world.post = (response, request, body) => {
      service.accept(request, body);
      slow(response, request, body);
    };
    ann.say("/image a red fox");
    const card = await ann.seeButton("✅", "a red fox");
    const tap = await ann.press("✅", "a red fox");
    const later = () => ann.heard().filter(({ message_id }) => message_id >= card.message_id);
    const read = () => later().map(({ text = "" }) => text);
    await eventually("the POST", () => service.posts.length > 0);
    clock.skip(10_000);
    await reads(read, NOT_YET, which);
    await tap.answered();
    expect(read().some((text) => NOT_CERTAIN.test(text))).toBe(false);
    clock.skip(50_000);
    await reads(read, NOT_CERTAIN, which);
    clock.skip(600_000);
    expect(read().filter((text) => NOTHING_CHARGED.test(text))).toEqual([]);
    expect([service.posts.length, service.jobs.size]).toEqual([1, 1]);
  },
);
