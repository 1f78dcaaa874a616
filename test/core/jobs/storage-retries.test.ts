import { expect, test } from "vitest";
import { STORAGE_PATIENCE_MS, StorageRetries } from "../../../src/jobs/job-completion.js";
import type { JobRow } from "../../../src/jobs/job-store.js";
import type { Failed } from "../../../src/jobs/provider.js";
import { createManualClock } from "../../support/manual-clock.js";

const HOUR_MS = 3_600_000;
const JOB = { id: 1 } as JobRow;
const FAILURE = { failure: "storage" } as unknown as Failed;

test.each([-25, -6, -1, 1, 6, 25])(
  "a clock that is set by %i h in the running process ends no patience early, and none late",
  async (hours) => {
    const clock = createManualClock();
    const retries = new StorageRetries(clock);
    expect(retries.allow(JOB, FAILURE)).toBe(true);
    await clock.advance(STORAGE_PATIENCE_MS / 2);
    clock.step(hours * HOUR_MS);
    expect(retries.overdue()).toEqual([]);
    expect(retries.allow(JOB, FAILURE)).toBe(true);
    await clock.advance(STORAGE_PATIENCE_MS / 2);
    expect(retries.overdue()).toEqual([{ job: JOB, failure: FAILURE }]);
    expect(retries.allow(JOB, FAILURE)).toBe(false);
  },
);
