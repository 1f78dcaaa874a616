import { z } from "zod";
import { Unavailable } from "../../../src/contract/errors.js";
import { sleep } from "../../../src/platform/clock.js";
import type { SimPath } from "./path.js";

/** One of what people write. */
const FORBIDDEN = "bee";
const ANSWER_MS_MAX = 400;

const paid = z.object({ words: z.string() });
const PAID = `SELECT of || ' has ' || request AS words FROM sim_request WHERE of GLOB 'job:*' AND request GLOB '*${FORBIDDEN} number*'`;

/** The operator forbids a word while orders run: some have it on their cards already. Sometimes nobody can tell. */
export const moderation: SimPath = {
  rulesOf: (random, clock) => ({
    moderation: {
      async allows(texts, place) {
        await sleep(clock, random.integer(0, ANSWER_MS_MAX));
        if (place === "chat") return random.chance(0.8) || !isForbidden(texts);
        if (random.chance(0.1)) throw new Unavailable("moderation");
        return !isForbidden(texts);
      },
    },
  }),
  judge: ({ reader, rules }) => (rules.moderation ? reader.all(paid, PAID).map(({ words }) => words) : []),
  planted: { "a forbidden word that is made and paid": { forgets: "moderation" } },
};

function isForbidden(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(FORBIDDEN));
}
