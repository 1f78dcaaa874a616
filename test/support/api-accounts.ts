import { asKopecks } from "../../src/contract/price.js";
import { openAdmin } from "./accounts.js";
import { eventually } from "./eventually.js";

/** One account with a key of its own, as a client of the HTTP API. */
export class ApiAccount {
  readonly #headers: Record<string, string>;

  constructor(
    private readonly url: string,
    key: string,
  ) {
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async post(body: object): Promise<Record<string, unknown>> {
    const request = { method: "POST", headers: this.#headers, body: JSON.stringify(body) };
    return (await (await fetch(`${this.url}/v1/generations`, request)).json()) as Record<string, unknown>;
  }

  async job(id: unknown): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}/v1/generations/${id}`, { headers: this.#headers });
    const { job } = (await answer.json()) as { job: Record<string, unknown> };
    return job;
  }

  /** Waits until a job has ended. */
  ended(id: unknown, patienceMs: number): Promise<Record<string, unknown>> {
    return eventually(
      `the end of job ${id}`,
      async () => {
        const job = await this.job(id);
        return (job.status === "done" || job.status === "error") && job;
      },
      patienceMs,
    );
  }
}

/** A data directory with accounts and their keys, as the operator makes them before the first start. */
export async function installAccounts(directory: string, count: number, rubles: number) {
  const admin = openAdmin(directory);
  const keys: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await admin.createAccount(`studio ${n}`);
    if (rubles > 0) await admin.credit(id, asKopecks(rubles * 100), null);
    keys.push((await admin.createKey(id, "server")).key);
  }
  return {
    admin,
    /** The operator's view of the accounts, in rubles. */
    balanceOf: (id: number) => admin.account(id).balance / 100,
    /** Keys of the accounts 1, 2, … */
    keys,
    /** Another key of an account. */
    newKey: async (id: number) => (await admin.createKey(id, "another")).key,
    async revokeKeys(id: number) {
      for (const key of admin.keys(id)) await admin.revokeKey(key.id);
    },
  };
}
