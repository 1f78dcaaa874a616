import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { LedgerEntry } from "@atelier/upstream-stand-ins";
import { expect } from "vitest";
import { z } from "zod";
import { ReferenceSpool } from "../../src/providers/reference-spool.js";
import { RowReader } from "../simulation/rows.js";
import { openAdmin } from "./accounts.js";
import type { CrashWorld } from "./upstream-crash-world.js";

const job = z.object({ id: z.number(), status: z.string(), cost: z.number(), prompt: z.string() });
const attempt = z.object({
  job_id: z.number(),
  state: z.string(),
  ref: z.string().nullable(),
  late: z.number(),
  due_at: z.number().nullable(),
  flagged: z.number(),
});
const media = z.object({ job_id: z.number(), name: z.string() });

/** What the service has written. */
export function readRows({ dataDir }: Pick<CrashWorld, "dataDir">) {
  const reader = new RowReader(dataDir);
  try {
    return {
      jobs: reader.all(job, "SELECT id, status, cost, request ->> '$.prompt' AS prompt FROM job"),
      attempts: reader.all(
        attempt,
        "SELECT job_id, state, ref, late, due_at, flagged FROM attempt ORDER BY no",
      ),
      media: reader.all(media, "SELECT job_id, name FROM media_file WHERE job_id IS NOT NULL"),
    };
  } finally {
    reader.close();
  }
}

/** Jobs by how they ended. */
export interface Verdict {
  done: number;
  refunded: number;
}

/** Fails where a job was paid for twice, or is neither delivered nor refunded. All jobs have ended. */
export async function judgeCrashes(world: CrashWorld): Promise<Verdict> {
  const { jobs, attempts, media } = readRows(world);
  const ledger = await world.upstream.ledger();
  const admin = openAdmin(world.dataDir);
  const entries = admin.entries(1).sort((one, other) => one.id - other.id);
  const stored = new Set(
    readdirSync(join(world.dataDir, "media"), { recursive: true }).map((path) => basename(String(path))),
  );
  const verdict = { done: 0, refunded: 0 };
  for (const { id, status, cost, prompt } of jobs) {
    const own = attempts.filter(({ job_id }) => job_id === id);
    const posts = ledger.filter((entry) => isOf(entry, prompt));
    expect(posts.length, `accepted POSTs of ${prompt}`).toBeLessThanOrEqual(1);
    const kinds = entries.flatMap(({ job_id, kind, amount }) => (job_id === id ? [`${kind} ${amount}`] : []));
    if (status === "done") {
      expect(kinds, prompt).toEqual([`charge ${-cost}`]);
      expect(own.filter(({ state }) => state === "stored")).toMatchObject([{ late: 0 }]);
      const [file] = media.filter(({ job_id }) => job_id === id);
      expect(stored.has(file?.name ?? ""), prompt).toBe(true);
      verdict.done += 1;
    } else {
      expect([status, ...kinds], prompt).toEqual(["error", `charge ${-cost}`, `refund ${cost}`]);
      // The reference of whatever was accepted is lost with the process, or the job would have been made.
      expect(own.at(-1), prompt).toMatchObject({ state: "ambiguous", ref: null, flagged: 1 });
      verdict.refunded += 1;
    }
  }
  for (const { taskId } of ledger)
    expect(attempts.filter(({ ref }) => ref?.includes(taskId)).length).toBeLessThanOrEqual(1);
  const prompts = jobs.map(({ prompt }) => prompt);
  expect(ledger.filter((entry) => !prompts.some((prompt) => isOf(entry, prompt)))).toEqual([]);
  expect(admin.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  expect(new ReferenceSpool(join(world.dataDir, "references.spool")).read().kept).toEqual([]);
  expect(await world.upstream.breaches()).toEqual([]);
  return verdict;
}

function isOf({ body }: LedgerEntry, prompt: string): boolean {
  return JSON.stringify(body).includes(`"${prompt}"`);
}
