import { describe, expect, test } from "vitest";
import { CachedAnswer } from "../../src/client/remote.js";
import { coreHealth } from "../../src/client/remote-service.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";

const HOUR_MS = 3_600_000;

/** What is kept for a time, by its name: a call, and how long its answer is kept. */
const CACHES = {
  models: {
    keptMs: 60_000,
    open(clock: ManualClock, read: () => void) {
      const kept = new CachedAnswer(clock, 60_000, async () => read());
      return () => kept.get();
    },
  },
  "the health of the core": {
    keptMs: 5000,
    open(clock: ManualClock, read: () => void) {
      return coreHealth(async () => read(), clock, recordingLogger().logger);
    },
  },
};

describe.each(Object.entries(CACHES))("%s", (_name, { keptMs, open }) => {
  test.each([-25, -6, -1, 1, 6, 25])(
    "are kept for their time, whatever hours the clock is set by: %i",
    async (hours) => {
      const clock = createManualClock();
      let reads = 0;
      const ask = open(clock, () => {
        reads += 1;
      });
      await ask();
      await clock.advance(keptMs / 2);
      clock.step(hours * HOUR_MS);
      await ask();
      expect(reads).toBe(1);
      await clock.advance(keptMs / 2);
      await ask();
      expect(reads).toBe(2);
    },
  );
});
