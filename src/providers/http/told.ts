/** Limits what is read of an answer's words. */
export const WORDS_LENGTH_MAX = 2000;

/** Fields in which services tell codes, tell words, and keep more of both. Never what was sent: it may say anything. */
const CODE_FIELDS = [
  ...["code", "type", "error_type", "errorCode", "error_code", "failCode", "status_code", "reason"],
  ...["finishReason", "finish_reason", "blockReason", "block_reason"],
];
const WORD_FIELDS = [
  ...["message", "msg", "error", "detail", "details", "title", "status_msg", "error_message", "errorMessage"],
  ...["failMsg", "description", "exception_message"],
];
const NESTED_FIELDS = [
  ...["error", "errors", "detail", "details", "base_resp", "innererror", "promptFeedback", "candidates"],
];
const DEPTH_MAX = 4;
const ITEMS_MAX = 10;

/** What an answer says of a failure, in whatever shape. */
export interface Told {
  codes: readonly string[];
  words: string;
  /** False for a page of something in front of the service, whose words are not the service's. */
  isRead: boolean;
}

/** Reads codes and words of a failure, in whatever shape a service tells them. */
export function toldIn(document: unknown): Told {
  const codes: string[] = [];
  const words: string[] = [];
  const read = (value: unknown, depth: number): void => {
    if (Array.isArray(value)) for (const item of value.slice(0, ITEMS_MAX)) readItem(item, depth);
    else if (typeof value === "object" && value !== null) {
      const fields = value as Readonly<Record<string, unknown>>;
      const own = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
      for (const name of CODE_FIELDS) {
        const code = own(name);
        if (typeof code === "string" || typeof code === "number") codes.push(String(code).slice(0, 100));
      }
      for (const name of WORD_FIELDS) {
        const word = own(name);
        if (typeof word !== "string" || word === "") continue;
        if (name === "error" && /^\w{1,100}$/.test(word)) codes.push(word);
        else words.push(word.slice(0, WORDS_LENGTH_MAX));
      }
      if (depth < DEPTH_MAX) for (const name of NESTED_FIELDS) read(own(name), depth + 1);
    }
  };
  const readItem = (item: unknown, depth: number) => {
    if (typeof item === "string") words.push(item.slice(0, WORDS_LENGTH_MAX));
    else if (depth < DEPTH_MAX) read(item, depth + 1);
  };
  read(document, 0);
  if (typeof document === "string") words.push(document);
  return { codes, words: [...codes, ...words].join(" ").slice(0, WORDS_LENGTH_MAX), isRead: true };
}
