import { describe, expect, test } from "vitest";
import { StorageHealth } from "../../src/media/disk.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";

const HOUR_MS = 3_600_000;

function openHealth() {
  const clock = createManualClock();
  const disk = { isBad: false, probes: 0, looks: 0, recoveries: 0 };
  const health = new StorageHealth(
    {
      async check() {
        disk.probes += 1;
        if (disk.isBad) throw new Error("disk full");
      },
      async requireSpace() {
        disk.looks += 1;
      },
    },
    clock,
    recordingLogger().logger,
    () => {
      disk.recoveries += 1;
    },
  );
  return { health, disk, clock };
}

describe.each([-25, -6, -1, 1, 6, 25])("a clock that is set by %i h", (hours) => {
  test("in the running process has a probe count neither shorter nor longer", async () => {
    const { health, disk, clock } = openHealth();
    await health.start();
    await clock.advance(500);
    clock.step(hours * HOUR_MS);
    await health.require();
    expect([disk.probes, disk.looks]).toEqual([1, 0]);
    await clock.advance(1000);
    await health.require();
    expect([disk.probes, disk.looks]).toEqual([1, 1]);
    await clock.advance(4000);
    await health.require();
    expect(disk.probes).toBe(2);
    health.stop();
  });

  test("in the running process keeps storage bad for no longer than until the next probe", async () => {
    const { health, disk, clock } = openHealth();
    await health.start();
    disk.isBad = true;
    health.markBad(new Error("disk full"));
    await clock.advance(60_000);
    clock.step(hours * HOUR_MS);
    const { probes } = disk;
    await clock.advance(60_000);
    expect(disk.probes - probes).toBeGreaterThanOrEqual(4);
    expect(disk.probes - probes).toBeLessThanOrEqual(10);
    disk.isBad = false;
    await clock.advance(15_000);
    expect([health.isGood, disk.recoveries]).toEqual([true, 1]);
    health.stop();
  });
});
