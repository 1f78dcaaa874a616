import { GENERATION_TYPES } from "../../contract/model.js";
import { actionData, base36, type DataOf, matching, natural, oneOf, rest } from "../telegram/button-data.js";

const drawn = [base36("draftId"), base36("revision")] as const;
/** The short form of a parameter's name. */
const token = matching("token", /./);
const index = natural("index");

/** The buttons of a card: `c:<draft>:<revision>:<action>`. */
export const cardData = actionData("c", {
  page: [...drawn, "p", natural("page")],
  models: [...drawn, "l"],
  // A model's key may contain the separator, also as its first character.
  model: [...drawn, "m", rest("token")],
  parameter: [...drawn, "o", token],
  value: [...drawn, "v", token, index],
  toggle: [...drawn, "t", token],
  clear: [...drawn, "e", token],
  remove: [...drawn, "d", token, index],
  card: [...drawn, "k"],
  more: [...drawn, "r"],
  type: [...drawn, "g", oneOf("type", GENERATION_TYPES)],
  /** Takes the words for a new picture, without the one that they were to change. */
  fresh: [...drawn, "n"],
  /** Asks for the main text. */
  write: [...drawn, "w"],
  /** Asks for the text of the way that the token names. */
  write_way: [...drawn, "w", token],
  /** Takes the main text for that of another way. */
  retake: [...drawn, "a", token],
  replace: [...drawn, "b"],
  pay: [...drawn, "y", natural("kopecks")],
  cancel: [...drawn, "x"],
  show: [...drawn, "s"],
});
export type CardData = DataOf<typeof cardData>;

/** What a button does, whatever the card that has it. */
export type CardAction = CardData extends infer Data
  ? Data extends CardData
    ? Omit<Data, "draftId" | "revision">
    : never
  : never;
