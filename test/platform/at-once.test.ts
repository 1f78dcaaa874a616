import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { mapAtOnce } from "../../src/platform/slots.js";

test("results keep their order, and no more calls run at once than allowed", async () => {
  let running = 0;
  let most = 0;
  const mapped = await mapAtOnce(3, [5, 1, 4, 2, 3, 0], async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let step = 0; step < turns; step += 1) await turn();
    running -= 1;
    return turns * 10;
  });
  expect(mapped).toEqual([50, 10, 40, 20, 30, 0]);
  expect(most).toBe(3);
});

test("the first failure is thrown and begins nothing more", async () => {
  const begun: number[] = [];
  const mapping = mapAtOnce(2, [1, 2, 3, 4], async (item) => {
    begun.push(item);
    if (item === 1) throw new Error("first");
    await turn();
  });
  await expect(mapping).rejects.toThrow("first");
  expect(begun).toEqual([1, 2]);
});
