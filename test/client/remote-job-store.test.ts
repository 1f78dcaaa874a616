import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { REMOTE_JOB_QUERIES } from "../../src/client/remote-jobs.js";
import { Database } from "../../src/database/database.js";

test("due jobs are found by an index, however many are open", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-remote-jobs-")), "a.db");
  await Database.open({ file, role: "service" }).close();
  const database = new Sqlite(file);
  for (const query of Object.values(REMOTE_JOB_QUERIES)) {
    const { sql, bind } = query.compiled();
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bind({ id: "1", now: 0, limit: 10 }));
    expect(JSON.stringify(plan)).toMatch(/SEARCH remote_job USING/);
    expect(JSON.stringify(plan)).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  database.close();
});
