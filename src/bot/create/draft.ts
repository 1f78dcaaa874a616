import { z } from "zod";
import type { GenerationType, ParameterValue } from "../../contract/model.js";

/** Where a card's message stands. */
export interface Place {
  chatId: number;
  /** The topic of a forum group. */
  threadId: number | null;
}

/** What the card shows: the list of models, the draft itself, or one parameter, which the next message sets. */
export type View = { kind: "models"; page: number } | { kind: "card" } | { kind: "parameter"; name: string };

/** What a person is composing in a chat. Each change makes a new revision. */
export interface Draft extends Place {
  id: number;
  userId: number;
  /** The message of its card; null until it has been sent. */
  messageId: number | null;
  /** `composing` can be changed and paid; the others only explain old cards. */
  state: DraftState;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The main text: the prompt, or what stands for it in this model and mode (see `mainTextName`). */
  prompt: string | null;
  /** The message that the prompt came with, so that editing it changes the prompt. */
  promptMessageId: number | null;
  /** The newest message that was taken into it: handled again after a crash, it changes nothing. */
  takenMessageId: number | null;
  revision: number;
}

export const DRAFT_STATES = ["composing", "ordered", "cancelled", "replaced"] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** The values of parameters as they are kept in the database. */
export const storedParameters = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

/** A view as the database keeps it: `models:2`, `card`, `parameter:resolution`. */
export function writeView(view: View): string {
  if (view.kind === "models") return `models:${view.page}`;
  return view.kind === "parameter" ? `parameter:${view.name}` : "card";
}

export function readView(stored: string): View {
  const colon = stored.indexOf(":");
  if (colon < 0) return { kind: "card" };
  const rest = stored.slice(colon + 1);
  if (stored.startsWith("models:")) return { kind: "models", page: Number(rest) || 0 };
  return stored.startsWith("parameter:") ? { kind: "parameter", name: rest } : { kind: "card" };
}
