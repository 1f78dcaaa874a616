import { callbackData } from "../../telegram/callback-data.js";

/** The button under the question for the key. */
export const connectData = callbackData<{ action: "leave" }>({
  prefix: "a",
  encode: () => ["l"],
  decode: ([letter, ...rest]) => (letter === "l" && rest.length === 0 ? { action: "leave" } : undefined),
});
