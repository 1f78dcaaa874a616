import { z } from "zod";
import type { GenerationType, Model, ParameterValue } from "../../../contract/model.js";
import { storedValue } from "../../../contract/stored-request.js";
import type { ChatPlace } from "../../telegram/place.js";

/** What the card shows. `more`: the rare settings. `replace` asks whether the text replaces the main text. */
export type View =
  | { kind: "models"; page: number }
  | { kind: "card" }
  | { kind: "more" }
  | { kind: "text" }
  | { kind: "parameter"; name: string }
  | { kind: "replace"; text: string; messageId: number };

/** A picture that a message brought, in the format of `parameters`. Other messages may bring the same file. */
const storedPicture = z.object({ picture: z.string(), uniqueId: z.string() });
export type SentPicture = Readonly<z.infer<typeof storedPicture>>;
export const storedPictureMessages = z.record(z.string(), storedPicture);

export interface Draft extends ChatPlace {
  id: number;
  userId: number;
  /** Null until the card has been sent. */
  messageId: number | null;
  /** The state: only a `composing` draft can be changed and paid. The others explain old cards. */
  state: DraftState;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  /** Values by name. The main text has its own name, or `prompt` while no model is chosen. */
  parameters: Readonly<Record<string, ParameterValue>>;
  /** Names of the settings that the person chose on this card. */
  chosen: readonly string[];
  /** An edit of this message changes the main text. */
  promptMessageId: number | null;
  /** Pictures by the ids of their messages. An edit of a message replaces its picture. */
  pictureMessages: Readonly<Record<string, SentPicture>>;
  /** The newest message applied. An update that runs again after a crash is ignored. */
  takenMessageId: number | null;
  revision: number;
}

/** The parameters that hold a main text, in the contract's names. */
export const MAIN_TEXTS = ["prompt", "lyrics", "description"] as const;

export const DRAFT_STATES = ["composing", "ordered", "cancelled", "replaced"] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

export const storedChosen = z.array(z.string());
export const storedParameters = z.record(z.string(), storedValue);

const WHOLE_VIEWS = ["more", "text"] as const;

/** Writes a view, such as `models:2`, `card`, `more`, `text`, `parameter:resolution`, `replace:7:fox`. */
export function writeView(view: View): string {
  if (view.kind === "models") return `models:${view.page}`;
  if (view.kind === "parameter") return `parameter:${view.name}`;
  if (view.kind === "replace") return `replace:${view.messageId}:${view.text}`;
  return view.kind;
}

export function readView(stored: string): View {
  const colon = stored.indexOf(":");
  if (colon < 0) return { kind: WHOLE_VIEWS.find((kind) => kind === stored) ?? "card" };
  const rest = stored.slice(colon + 1);
  if (stored.startsWith("models:")) return { kind: "models", page: Number(rest) || 0 };
  const [, messageId, text] = /^replace:(\d+):(.+)$/.exec(stored) ?? [];
  if (text !== undefined) return { kind: "replace", text, messageId: Number(messageId) };
  return stored.startsWith("parameter:") ? { kind: "parameter", name: rest } : { kind: "card" };
}

/** Finds the model. Undefined when the draft has none or its model has left the catalogue. */
export function modelOf({ modelKey }: Pick<Draft, "modelKey">, models: readonly Model[]): Model | undefined {
  return models.find(({ model_key }) => model_key === modelKey);
}
