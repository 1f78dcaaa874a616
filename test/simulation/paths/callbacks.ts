import { z } from "zod";
import { SimCallbacks } from "../sim-callbacks.js";
import type { SimPath } from "./path.js";

const clear = z.object({ attempt_id: z.int(), callback_hash: z.string() });
const HASHES = "SELECT attempt_id, callback_hash FROM attempt WHERE callback_hash IS NOT NULL";

/** Services call when a task has ended, or lie, or somebody else calls: each call is a hint to ask, and no more. */
export const callbacks: SimPath = {
  rulesOf: (random, clock) => ({ callbacks: new SimCallbacks(clock, random) }),
  actsOf: ({ world, someone }) => [
    [2, () => world.rules.callbacks?.guess() ?? ""],
    [2, () => world.rules.callbacks?.repeat() ?? ""],
    [14, () => someone().act()],
  ],
  judge: ({ reader, rules }) => {
    const { unheeded = [], tokens = [] } = rules.callbacks ?? {};
    return [
      ...unheeded,
      ...reader
        .all(clear, HASHES)
        .filter(({ callback_hash }) => tokens.includes(callback_hash))
        .map(({ attempt_id }) => `attempt ${attempt_id} has its token in the clear`),
    ];
  },
  planted: {
    "a call of a service that hurries nothing": { omitted: "attempt:hurried" },
  },
};
