import { callbackData } from "../../telegram/callback-data.js";

export interface LanguageData {
  code: string;
  userId: number;
}

/** Format: `l:<language>:<person>`. */
export const languageData = callbackData<LanguageData>({
  prefix: "l",
  encode: ({ code, userId }) => [code, userId],
  decode([code = "", userId = "", ...rest]) {
    if (rest.length > 0 || !/^[a-z]{2,8}$/.test(code) || !/^\d{1,16}$/.test(userId)) return undefined;
    return { code, userId: Number(userId) };
  },
});
