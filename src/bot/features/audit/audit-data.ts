import { callbackData, readNatural } from "../../telegram/callback-data.js";

export interface AuditPlace {
  /** The account whose acts are shown; 0 for all. */
  accountId: number;
  /** Entries with a smaller number; 0 for the newest. */
  beforeId: number;
}

/** Encodes `au:<account>:<number of an entry>`. */
export const auditData = callbackData<AuditPlace>({
  prefix: "au",
  encode: ({ accountId, beforeId }) => [accountId, beforeId],
  decode([account, before, ...rest]) {
    const accountId = readNatural(account);
    const beforeId = readNatural(before);
    const isWrong = accountId === undefined || beforeId === undefined || rest.length > 0;
    return isWrong ? undefined : { accountId, beforeId };
  },
});
