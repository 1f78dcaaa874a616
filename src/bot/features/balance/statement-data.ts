import { callbackData, readNatural } from "../../telegram/callback-data.js";

export interface StatementData {
  personId: number;
  /** `older` and `newer` than an entry, the newest entries, or all of them as a file. */
  action: { kind: "older" | "newer"; entryId: number } | { kind: "file" };
}

const KINDS: Readonly<Record<string, "older" | "newer">> = { o: "older", n: "newer" };

/** Encodes the buttons of a statement: `bs:<person>:o:<entry>`, `bs:<person>:n:<entry>`, `bs:<person>:f`. */
export const statementData = callbackData<StatementData>({
  prefix: "bs",
  encode: ({ personId, action }) =>
    action.kind === "file"
      ? [personId, "f"]
      : [personId, action.kind === "older" ? "o" : "n", action.entryId],
  decode([person, letter = "", entry, ...rest]) {
    const personId = readNatural(person);
    if (personId === undefined || rest.length > 0) return undefined;
    if (letter === "f" && entry === undefined) return { personId, action: { kind: "file" } };
    const kind = KINDS[letter];
    const entryId = readNatural(entry);
    return kind && entryId !== undefined ? { personId, action: { kind, entryId } } : undefined;
  },
});
