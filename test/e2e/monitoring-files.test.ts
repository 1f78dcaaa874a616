import { expect, test } from "vitest";
import { tillMetrics } from "../../src/tills/payment-book.js";
import { eventually } from "../support/eventually.js";
import { dashboardQueries, shownMetrics, usedMetrics } from "../support/monitoring-files.js";
import { newFolder } from "../support/new-folder.js";
import { openDatabase } from "../support/test-database.js";
import { startUpstreamService } from "../support/upstream-service.js";

test("every metric of the alerts and the dashboard is one that a service shows", async () => {
  const backups = newFolder();
  const service = await startUpstreamService("fal,kie,polza,local", { BACKUP_DIR: backups });
  await service.make({ type: "image", model_key: "nano-banana-2", prompt: "a red fox" });
  const used = usedMetrics();
  // Shown only where a payment waits.
  const waiting = tillMetrics(openDatabase()).map(({ name }) => name);
  expect(used.length).toBeGreaterThan(25);
  const missing = async () => {
    const shown = new Set([...shownMetrics(await service.metrics()), ...waiting]);
    return used.filter((name) => !shown.has(name));
  };
  await eventually("a backup, and the balances", async () => (await missing()).length === 0).catch(() => {});
  expect(await missing()).toEqual([]);
});

test("each panel of the dashboard that is no heading has a query", () => {
  const titles = new Set(dashboardQueries().map(({ title }) => title));
  expect(titles.size).toBeGreaterThan(30);
});
