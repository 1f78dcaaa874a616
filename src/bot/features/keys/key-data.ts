import { callbackData, readNatural } from "../../telegram/callback-data.js";

export type KeyData =
  /** Creates a key. `keyId` is the newest key of the list, which makes a double tap detectable. */
  | { action: "create"; keyId: number }
  | { action: "ask"; keyId: number }
  | { action: "revoke"; keyId: number }
  | { action: "list" }
  | { action: "remove" };

const LETTERS = { create: "n", ask: "a", revoke: "r" } as const;
const ACTIONS: Readonly<Record<string, keyof typeof LETTERS>> = { n: "create", a: "ask", r: "revoke" };

/** Format: `k:<action>` or `k:<action>:<key>`. */
export const keyData = callbackData<KeyData>({
  prefix: "k",
  encode(data) {
    if (data.action === "list") return ["l"];
    if (data.action === "remove") return ["g"];
    return [LETTERS[data.action], data.keyId];
  },
  decode([letter = "", id, ...rest]) {
    if (id === undefined) return letter === "l" ? { action: "list" } : removal(letter);
    const action = ACTIONS[letter];
    const keyId = readNatural(id);
    return action && keyId !== undefined && rest.length === 0 ? { action, keyId } : undefined;
  },
});

function removal(letter: string): KeyData | undefined {
  return letter === "g" ? { action: "remove" } : undefined;
}
