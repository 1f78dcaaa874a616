import { callbackData, readNatural } from "../../telegram/callback-data.js";
import { AUDIENCE_FIELDS, type AudienceField } from "./audience.js";

export type BroadcastTap =
  | { action: "next"; id: number; revision: number; field: AudienceField }
  | { action: "send" | "cancel"; id: number; revision: number }
  | { action: "stop" | "resume"; id: number };

const LETTERS = { send: "s", cancel: "c", stop: "p", resume: "r" } as const;

/** Format: `bc:<letter>:<broadcast>[:<revision>[:<field>]]`. */
export const broadcastTap = callbackData<BroadcastTap>({
  prefix: "bc",
  encode(tap) {
    if (tap.action === "next") return ["n", tap.id, tap.revision, AUDIENCE_FIELDS.indexOf(tap.field)];
    return "revision" in tap ? [LETTERS[tap.action], tap.id, tap.revision] : [LETTERS[tap.action], tap.id];
  },
  decode([letter = "", ...rest]) {
    const [id, revision, index] = rest.map(readNatural);
    if (id === undefined || rest.length > 3) return undefined;
    if (letter === "p" || letter === "r")
      return rest.length === 1 ? { action: letter === "p" ? "stop" : "resume", id } : undefined;
    if (revision === undefined) return undefined;
    if (letter === "n") {
      const field = AUDIENCE_FIELDS[index ?? -1];
      return field && { action: "next", id, revision, field };
    }
    if (rest.length !== 2 || (letter !== "s" && letter !== "c")) return undefined;
    return { action: letter === "s" ? "send" : "cancel", id, revision };
  },
});
