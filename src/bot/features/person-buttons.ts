import { callbackData, readNatural } from "../telegram/tap-answers.js";

const ACCOUNT_ACTIONS = ["show", "send", "credit", "debit", "message", "note", "ban", "unban"] as const;
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

export interface AccountData {
  action: AccountAction;
  userId: number;
}

/** Encodes `ad:<action>:<user id>`. */
export const accountData = callbackData<AccountData>({
  prefix: "ad",
  encode: ({ action, userId }) => [action, userId],
  decode([name, id, ...rest]) {
    const action = ACCOUNT_ACTIONS.find((known) => known === name);
    const userId = readNatural(id);
    return action === undefined || userId === undefined || rest.length > 0 ? undefined : { action, userId };
  },
});

/** Encodes `pl:<user id>`: the newest payments of a person, for an admin. */
export const paymentListData = callbackData<{ userId: number }>({
  prefix: "pl",
  encode: ({ userId }) => [userId],
  decode([id, ...rest]) {
    const userId = readNatural(id);
    return userId === undefined || rest.length > 0 ? undefined : { userId };
  },
});
