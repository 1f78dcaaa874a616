/**
 * What a button of a card asks for. A token stands for the name of a parameter or the key of a model, which may
 * be longer than callback data.
 */
export type CardAction =
  | { kind: "page"; page: number }
  | { kind: "models" }
  | { kind: "model"; token: string }
  /** Shows a parameter. */
  | { kind: "parameter"; token: string }
  /** Picks one of its values. */
  | { kind: "value"; token: string; index: number }
  /** Turns a boolean. */
  | { kind: "toggle"; token: string }
  /** Leaves a parameter without a value. */
  | { kind: "clear"; token: string }
  /** Takes out one of its pictures. */
  | { kind: "remove"; token: string; index: number }
  | { kind: "card" }
  /** Asks for the main text. */
  | { kind: "write" }
  | { kind: "pay"; kopecks: number }
  | { kind: "cancel" }
  | { kind: "show" };

export interface CardData {
  draftId: number;
  revision: number;
  action: CardAction;
}

const PREFIX = "c";

/** Writes the callback data of a button: `c:<draft>:<revision>:<action>`, at most 64 bytes. */
export function writeCardData({ draftId, revision, action }: CardData): string {
  return `${PREFIX}:${draftId.toString(36)}:${revision.toString(36)}:${actionText(action)}`;
}

function actionText(action: CardAction): string {
  switch (action.kind) {
    case "page":
      return `p:${action.page}`;
    case "models":
      return "l";
    case "model":
      return `m:${action.token}`;
    case "parameter":
      return `o:${action.token}`;
    case "value":
      return `v:${action.token}:${action.index}`;
    case "toggle":
      return `t:${action.token}`;
    case "clear":
      return `e:${action.token}`;
    case "remove":
      return `d:${action.token}:${action.index}`;
    case "card":
      return "k";
    case "write":
      return "w";
    case "pay":
      return `y:${action.kopecks}`;
    case "cancel":
      return "x";
    case "show":
      return "s";
  }
}

const SHAPE = /^c:([0-9a-z]{1,10}):([0-9a-z]{1,10}):([a-z])(?::(.+))?$/;

/** Reads callback data; anything that no card has written is `undefined`. */
export function readCardData(data: string): CardData | undefined {
  const match = SHAPE.exec(data);
  if (!match) return undefined;
  const [, draft = "", revision = "", letter = "", rest = ""] = match;
  const action = readAction(letter, rest);
  return action && { draftId: Number.parseInt(draft, 36), revision: Number.parseInt(revision, 36), action };
}

function readAction(letter: string, rest: string): CardAction | undefined {
  switch (letter) {
    case "p":
      return withNumber(rest, (page) => ({ kind: "page", page }));
    case "l":
      return { kind: "models" };
    case "m":
      return rest ? { kind: "model", token: rest } : undefined;
    case "o":
      return rest ? { kind: "parameter", token: rest } : undefined;
    case "v":
      return readIndexed("value", rest);
    case "t":
      return rest ? { kind: "toggle", token: rest } : undefined;
    case "e":
      return rest ? { kind: "clear", token: rest } : undefined;
    case "d":
      return readIndexed("remove", rest);
    case "k":
      return { kind: "card" };
    case "w":
      return { kind: "write" };
    case "y":
      return withNumber(rest, (kopecks) => ({ kind: "pay", kopecks }));
    case "x":
      return { kind: "cancel" };
    case "s":
      return { kind: "show" };
    default:
      return undefined;
  }
}

function readIndexed(kind: "value" | "remove", rest: string): CardAction | undefined {
  const [token, index = ""] = rest.split(":");
  if (!token) return undefined;
  return withNumber(index, (number) => ({ kind, token, index: number }));
}

function withNumber(text: string, make: (value: number) => CardAction): CardAction | undefined {
  return /^\d{1,15}$/.test(text) ? make(Number(text)) : undefined;
}
