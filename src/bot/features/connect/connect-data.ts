import { callbackData, readNatural } from "../../telegram/callback-data.js";

/** `take`: connect the key that the message `message` of this chat carried. */
export type ConnectData = { action: "leave" } | { action: "take"; message: number };

/** Encodes the buttons under the question for the key, and under the one whether to take a key. */
export const connectData = callbackData<ConnectData>({
  prefix: "a",
  encode: (data) => (data.action === "leave" ? ["l"] : ["t", data.message]),
  decode([letter, digits, ...rest]) {
    if (letter === "l" && digits === undefined) return { action: "leave" };
    const message = readNatural(digits);
    const isTake = letter === "t" && message !== undefined && rest.length === 0;
    return isTake ? { action: "take", message } : undefined;
  },
});
