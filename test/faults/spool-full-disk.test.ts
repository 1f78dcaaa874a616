import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AcceptedSpool } from "../../src/bot/orders/accepted-spool.js";
import { smallDisk } from "../support/small-disk.js";

function fill(folder: string): void {
  const filling = join(folder, "filling");
  expect(() => writeFileSync(filling, Buffer.alloc(2 * 1024 * 1024, 1))).toThrow("ENOSPC");
  expect(statSync(filling).size).toBeGreaterThan(0);
}

test("job ids are kept on a full disk, in the room that was reserved for them", () => {
  const folder = smallDisk(1);
  const spool = new AcceptedSpool(join(folder, "accepted-orders.spool"));
  spool.reserve();
  fill(folder);
  const acceptances = Array.from({ length: 100 }, (_, n) => ({ order_id: `order-${n}`, job_ids: [n + 1] }));
  for (const acceptance of acceptances) spool.save(acceptance);
  expect(spool.read()).toEqual({ kept: acceptances, unreadable: [] });
});

test("room that a full disk did not give whole is made up for once there is some", () => {
  const folder = smallDisk(1);
  const spool = new AcceptedSpool(join(folder, "accepted-orders.spool"));
  fill(folder);
  expect(() => spool.reserve()).toThrow("ENOSPC");
  rmSync(join(folder, "filling"));
  spool.reserve();
  fill(folder);
  spool.save({ order_id: "order-1", job_ids: [1] });
  expect(spool.read().kept).toHaveLength(1);
});
