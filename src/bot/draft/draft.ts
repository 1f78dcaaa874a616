import { z } from "zod";
import type { GenerationType, Model, ParameterValue } from "../../contract/model.js";
import { storedValue } from "../../contract/stored-request.js";

export interface Place {
  chatId: number;
  threadId: number | null;
}

/** The next message sets the parameter that the card shows. */
export type View =
  | { kind: "models"; page: number }
  | { kind: "card" }
  | { kind: "more" }
  | { kind: "parameter"; name: string };

export interface Draft extends Place {
  id: number;
  userId: number;
  /** Null until the card has been sent. */
  messageId: number | null;
  /** Only `composing` can be changed and paid. The others explain old cards. */
  state: DraftState;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The main text: the prompt, or the parameter that replaces it (see `mainTextName`). */
  prompt: string | null;
  /** An edit of this message changes the prompt. */
  promptMessageId: number | null;
  /** The newest message applied. An update that runs again after a crash is ignored. */
  takenMessageId: number | null;
  revision: number;
}

export const DRAFT_STATES = ["composing", "ordered", "cancelled", "replaced"] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

export const storedParameters = z.record(z.string(), storedValue);

/** Format: `models:2`, `card`, `more`, `parameter:resolution`. */
export function writeView(view: View): string {
  if (view.kind === "models") return `models:${view.page}`;
  return view.kind === "parameter" ? `parameter:${view.name}` : view.kind;
}

export function readView(stored: string): View {
  const colon = stored.indexOf(":");
  if (colon < 0) return { kind: stored === "more" ? "more" : "card" };
  const rest = stored.slice(colon + 1);
  if (stored.startsWith("models:")) return { kind: "models", page: Number(rest) || 0 };
  return stored.startsWith("parameter:") ? { kind: "parameter", name: rest } : { kind: "card" };
}

/** Undefined when the draft has no model or its model has left the catalogue. */
export function modelOf({ modelKey }: Pick<Draft, "modelKey">, models: readonly Model[]): Model | undefined {
  return models.find(({ model_key }) => model_key === modelKey);
}
