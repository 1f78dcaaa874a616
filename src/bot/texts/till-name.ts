import type { Language } from "./texts.js";

/** Names a till in the reader's language, as `till-<name>` of the locales does. */
export function tillName(till: string, { t, has }: Language): string {
  const key = `till-${till}`;
  return has(key) ? t(key) : till;
}
