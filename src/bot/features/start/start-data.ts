import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import { callbackData } from "../../telegram/callback-data.js";

export interface StartData {
  type: GenerationType;
  /** True for the example of the kind, false for an empty card. */
  isExample: boolean;
  /** Who may tap. Absent in a private chat. */
  personId?: number;
}

const EXAMPLE = "example";
const PERSON = /^[1-9]\d{0,15}$/;

/** Encodes the buttons of the greeting: `s:<type>`, `s:<type>:example`, in a group followed by the person's id. */
export const startData = callbackData<StartData>({
  prefix: "s",
  encode: ({ type, isExample, personId }) => [
    type,
    ...(isExample ? [EXAMPLE] : []),
    ...(personId === undefined ? [] : [String(personId)]),
  ],
  decode([name, ...parts]) {
    const type = GENERATION_TYPES.find((one) => one === name);
    const isExample = parts[0] === EXAMPLE;
    const [person, ...rest] = isExample ? parts.slice(1) : parts;
    if (!type || rest.length > 0 || (person !== undefined && !PERSON.test(person))) return undefined;
    return { type, isExample, ...(person === undefined ? {} : { personId: Number(person) }) };
  },
});
