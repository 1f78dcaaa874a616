import { callbackData, readNatural } from "../../telegram/callback-data.js";
import type { TicketKind } from "./support-table.js";

/** `ask`: a person asks. `answer`: an admin answers a person. */
export type SupportTap = { action: "ask"; kind: TicketKind } | { action: "answer"; userId: number };

const KINDS: Readonly<Record<TicketKind, string>> = { question: "q", payment: "p" };

/** Encodes `sp:q`, `sp:p` and `sp:a:<user id>`. */
export const supportData = callbackData<SupportTap>({
  prefix: "sp",
  encode: (tap) => (tap.action === "ask" ? [KINDS[tap.kind]] : ["a", tap.userId]),
  decode([name, id, ...rest]) {
    if (rest.length > 0) return undefined;
    const kind = (Object.keys(KINDS) as TicketKind[]).find((known) => KINDS[known] === name);
    if (kind && id === undefined) return { action: "ask", kind };
    const userId = readNatural(id);
    return name === "a" && userId !== undefined ? { action: "answer", userId } : undefined;
  },
});
