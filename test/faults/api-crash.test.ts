import { expect, test } from "vitest";
import { installAccounts } from "../support/api-accounts.js";
import { ChildService } from "../support/child-service.js";
import { newFolder } from "../support/new-folder.js";

const CRASHES = 4;
/** Answered POSTs before a crash; the service answers more than 200 a second. */
const ANSWERED_MIN = 60;
const CALLERS = 8;
const PRICE_KOPECKS = 500;
const TIMEOUT_MS = 120_000;

test(
  "a service killed again and again under clients that retry with idempotency keys charges each key once",
  async () => {
    const directory = newFolder();
    const {
      admin,
      keys: [secret],
    } = await installAccounts(directory, 1, 1_000_000);
    const headers = { authorization: `Bearer ${secret}` };
    const start = () => new ChildService({ DATA_DIR: directory, RUNNER_CONCURRENCY: "1" });
    const body = JSON.stringify({ type: "image", model_key: "nano-banana-2-lite", prompt: "a red fox" });
    const jobs = new Map<string, unknown>();
    const unanswered = new Set<string>();
    let keys = 0;

    /** Sends one key; false when the service is gone. The answers to a key are the same. */
    const post = async (url: string, key: string): Promise<boolean> => {
      const answer = await fetch(`${url}/v1/generations`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": key },
        body,
      })
        .then(async (response) => ({ response, json: (await response.json()) as Record<string, unknown> }))
        .catch(() => undefined);
      if (!answer) return false;
      const { response, json } = answer;
      expect([response.status, json.cost_rub]).toEqual([200, 5]);
      expect(jobs.get(key) ?? json.job_id).toBe(json.job_id);
      jobs.set(key, json.job_id);
      unanswered.delete(key);
      return true;
    };

    for (let crash = 0; crash < CRASHES; crash += 1) {
      const service = start();
      const url = await service.ready();
      const repeated = [...unanswered];
      const enough = jobs.size + ANSWERED_MIN + crash;
      const call = async () => {
        for (;;) {
          let key = repeated.pop();
          if (key === undefined) {
            keys += 1;
            key = `key-${keys}`;
            unanswered.add(key);
          }
          if (!(await post(url, key))) return;
          if (jobs.size === enough) void service.kill();
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, call));
      expect(await service.ended).toBe("SIGKILL");
    }

    const service = start();
    const url = await service.ready();
    for (const key of [...unanswered, ...jobs.keys()]) expect(await post(url, key)).toBe(true);
    for (const id of jobs.values())
      expect((await fetch(`${url}/v1/generations/${id}`, { headers })).status).toBe(200);
    const charges = admin.entries(1).filter(({ kind }) => kind === "charge");
    expect(jobs.size).toBe(keys);
    expect(new Set(jobs.values()).size).toBe(keys);
    expect(charges).toHaveLength(keys);
    expect(new Set(charges.map(({ job_id }) => job_id))).toEqual(new Set(jobs.values()));
    expect(charges.every(({ amount }) => amount === -PRICE_KOPECKS)).toBe(true);
    expect(admin.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
    await service.kill();
  },
  TIMEOUT_MS,
);
