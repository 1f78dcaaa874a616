import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUpstreams } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { hastyCatalogue } from "../support/hasty-catalogue.js";
import { newFolder } from "../support/new-folder.js";
import { smallDisk } from "../support/small-disk.js";

const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };

/** To the last byte. */
function fill(folder: string): void {
  for (const size of [1024 * 1024, 4096, 1]) {
    expect(() => {
      for (let n = 0; ; n += 1) writeFileSync(join(folder, `filling-${size}-${n}`), Buffer.alloc(size, 1));
    }).toThrow("ENOSPC");
  }
}

function free(folder: string): void {
  execFileSync("/bin/sh", ["-c", `rm -f ${folder}/filling-*`]);
}

test.each([
  ["", true],
  [", where no room was reserved", false],
])(
  "a start on a full disk goes on with a job at the service and one that is queued, once there is room%s",
  async (_where, isReserved) => {
    const stand = await createUpstreams({ timing: { queueMs: 10, runMs: 2000 } });
    onTestFinished(() => stand.close());
    const dataDir = smallDisk(160);
    const catalogue = newFolder();
    const environment = {
      TEST_RENDERER: "1",
      DATA_DIR: dataDir,
      CATALOGUE_FILE: hastyCatalogue(catalogue),
      ...stand.environment(["fal"]),
    };
    const start = () => {
      const service = new ChildService(environment);
      onTestFinished(() => service.kill());
      return service;
    };
    const first = start();
    let url = await first.ready();
    const database = openDatabase({ dataDir }, "tool");
    const admin = createAdminService(database, systemClock);
    const { id } = await admin.createAccount("studio");
    await admin.credit(id, asKopecks(1000_00), null);
    const { key } = await admin.createKey(id, null);
    await database.close();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const ask = async (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { headers, ...init });
    const post = () => ask("/v1/generations", { method: "POST", body: JSON.stringify(PICTURE) });
    await post();
    await eventually("it is at the service", () => stand.ledger.length === 1);
    await first.killAt("commit:after", "job:accept");
    await post().catch(() => undefined);
    await first.ended;
    if (!isReserved) rmSync(join(dataDir, "references.spool.reserve"), { force: true });
    fill(dataDir);

    const second = start();
    url = await second.ready();
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(503);
    expect((await post()).status).toBe(503);
    free(dataDir);
    for (const id of [1, 2]) {
      const found = await eventually(
        "the end of the job",
        async () => {
          const { job } = (await (await ask(`/v1/generations/${id}`)).json()) as { job: { status: string } };
          return ["done", "error"].includes(job.status) && job;
        },
        100_000,
      );
      expect(found).toMatchObject({ status: "done" });
    }
    expect(stand.ledger).toHaveLength(2);
    expect((await ask("/readyz")).status).toBe(200);
  },
  180_000,
);
