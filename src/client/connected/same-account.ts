import { ContractError } from "../../contract/errors.js";
import type { ApiClient } from "../api-client.js";
import type { SubmissionStore } from "../submission-store.js";
import type { AccountStore, ConnectedAccount } from "./account-store.js";

const PROBE = { timeoutMs: 4500, triesMax: 1 };

interface ProbeParts {
  store: AccountStore;
  submissions: SubmissionStore;
}

/**
 * Finds the account among those of a person that a new key belongs to. The contract does not name accounts: a job of
 * the account is asked for with the new key, since no other account can see it.
 * @param client has the new key
 * @throws CallFailedError when the service does not answer
 */
export async function sameAccount(
  accounts: readonly ConnectedAccount[],
  key: string,
  client: ApiClient,
  { store, submissions }: ProbeParts,
): Promise<ConnectedAccount | undefined> {
  const sameKey = accounts.find(({ id }) => store.keyOf(id) === key);
  if (sameKey) return sameKey;
  const known = await Promise.all(
    accounts.map(async (account) => {
      const jobId = submissions.lastJobOf(account.id);
      return jobId !== undefined && (await isVisible(client.job(jobId, PROBE))) ? account : undefined;
    }),
  );
  return known.find((account) => account !== undefined);
}

async function isVisible(job: Promise<unknown>): Promise<boolean> {
  try {
    await job;
    return true;
  } catch (error) {
    if (error instanceof ContractError) return false;
    throw error;
  }
}
