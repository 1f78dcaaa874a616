import { expect, test } from "vitest";
import { coreHealth } from "../../src/client/remote-service.js";
import { HOUR_MS } from "../../src/platform/units.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";

const KEPT_MS = 5000;

test.each([-25, -6, -1, 1, 6, 25])(
  "the health of the core is kept for its time, whatever hours the clock is set by: %i",
  async (hours) => {
    const clock = createManualClock();
    let reads = 0;
    const read = async () => {
      reads += 1;
    };
    const ask = coreHealth(read, clock, recordingLogger().logger);
    await ask();
    await clock.advance(KEPT_MS / 2);
    clock.step(hours * HOUR_MS);
    await ask();
    expect(reads).toBe(1);
    await clock.advance(KEPT_MS / 2);
    await ask();
    expect(reads).toBe(2);
  },
);
