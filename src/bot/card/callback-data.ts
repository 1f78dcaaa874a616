import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";
import { callbackData, readNatural } from "../telegram/tap-answers.js";

/** A token is the short form of a parameter's name or a model's key. */
export type CardAction =
  | { kind: "page"; page: number }
  | { kind: "models" }
  | { kind: "model"; token: string }
  | { kind: "parameter"; token: string }
  | { kind: "value"; token: string; index: number }
  | { kind: "toggle"; token: string }
  | { kind: "clear"; token: string }
  | { kind: "remove"; token: string; index: number }
  | { kind: "card" }
  | { kind: "more" }
  | { kind: "type"; type: GenerationType }
  /** Asks for the main text, or for the text of the way that the token names. */
  | { kind: "write"; token?: string }
  /** Takes the main text for that of another way. */
  | { kind: "retake"; token: string }
  | { kind: "replace" }
  | { kind: "pay"; kopecks: number }
  | { kind: "cancel" }
  | { kind: "show" };

export interface CardData {
  draftId: number;
  revision: number;
  action: CardAction;
}

const BASE_36 = /^[0-9a-z]{1,10}$/;

/** The buttons of a card: `c:<draft>:<revision>:<action>`. */
export const cardData = callbackData<CardData>({
  prefix: "c",
  encode: ({ draftId, revision, action }) => [
    draftId.toString(36),
    revision.toString(36),
    ...actionFields(action),
  ],
  decode([draft = "", revision = "", letter = "", ...rest]) {
    const action = readAction(letter, rest);
    if (!action || !BASE_36.test(draft) || !BASE_36.test(revision)) return undefined;
    return { draftId: Number.parseInt(draft, 36), revision: Number.parseInt(revision, 36), action };
  },
});

function actionFields(action: CardAction): readonly (string | number)[] {
  switch (action.kind) {
    case "page":
      return ["p", action.page];
    case "models":
      return ["l"];
    case "model":
      return ["m", action.token];
    case "parameter":
      return ["o", action.token];
    case "value":
      return ["v", action.token, action.index];
    case "toggle":
      return ["t", action.token];
    case "clear":
      return ["e", action.token];
    case "remove":
      return ["d", action.token, action.index];
    case "card":
      return ["k"];
    case "more":
      return ["r"];
    case "type":
      return ["g", action.type];
    case "write":
      return action.token === undefined ? ["w"] : ["w", action.token];
    case "retake":
      return ["a", action.token];
    case "replace":
      return ["b"];
    case "pay":
      return ["y", action.kopecks];
    case "cancel":
      return ["x"];
    case "show":
      return ["s"];
  }
}

function readAction(letter: string, fields: readonly string[]): CardAction | undefined {
  const [field, index] = fields;
  switch (letter) {
    case "p":
      return withNumber(field, (page) => ({ kind: "page", page }));
    case "l":
      return { kind: "models" };
    case "m": {
      // A model's key may contain the separator, also as its first character.
      const token = fields.join(":");
      return token ? { kind: "model", token } : undefined;
    }
    case "o":
      return field ? { kind: "parameter", token: field } : undefined;
    case "v":
      return readIndexed("value", field, index);
    case "t":
      return field ? { kind: "toggle", token: field } : undefined;
    case "e":
      return field ? { kind: "clear", token: field } : undefined;
    case "d":
      return readIndexed("remove", field, index);
    case "k":
      return { kind: "card" };
    case "r":
      return { kind: "more" };
    case "g": {
      const type = GENERATION_TYPES.find((one) => one === field);
      return type && { kind: "type", type };
    }
    case "w":
      return field ? { kind: "write", token: field } : { kind: "write" };
    case "a":
      return field ? { kind: "retake", token: field } : undefined;
    case "b":
      return { kind: "replace" };
    case "y":
      return withNumber(field, (kopecks) => ({ kind: "pay", kopecks }));
    case "x":
      return { kind: "cancel" };
    case "s":
      return { kind: "show" };
    default:
      return undefined;
  }
}

function readIndexed(
  kind: "value" | "remove",
  token: string | undefined,
  index: string | undefined,
): CardAction | undefined {
  return token ? withNumber(index, (number) => ({ kind, token, index: number })) : undefined;
}

function withNumber(text: string | undefined, make: (value: number) => CardAction): CardAction | undefined {
  const value = readNatural(text);
  return value === undefined ? undefined : make(value);
}
