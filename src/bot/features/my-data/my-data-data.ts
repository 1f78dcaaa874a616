import { callbackData } from "../../telegram/callback-data.js";

export interface MyDataTap {
  action: "show" | "export" | "ask" | "forget";
}

const LETTERS = { show: "s", export: "e", ask: "a", forget: "f" } as const;
const ACTIONS: Readonly<Record<string, MyDataTap["action"]>> = {
  s: "show",
  e: "export",
  a: "ask",
  f: "forget",
};

/** Format: `md:<action>`. The person is whoever taps: the buttons are in private chats only. */
export const myDataTap = callbackData<MyDataTap>({
  prefix: "md",
  encode: ({ action }) => [LETTERS[action]],
  decode([letter = "", ...rest]) {
    const action = ACTIONS[letter];
    return action && rest.length === 0 ? { action } : undefined;
  },
});
