import { callbackData } from "../../telegram/callback-data.js";

/** Encodes the button of admins that resumes a service: `ps:<name>`. */
export const resumeData = callbackData<{ provider: string }>({
  prefix: "ps",
  encode: ({ provider }) => [provider],
  decode: ([provider = "", ...rest]) => (provider !== "" && rest.length === 0 ? { provider } : undefined),
});
