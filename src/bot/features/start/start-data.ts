import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import { callbackData } from "../../telegram/callback-data.js";

export interface StartData {
  type: GenerationType;
  /** True for the example of the kind, false for an empty card. */
  isExample: boolean;
}

const EXAMPLE = "example";

/** The buttons of the greeting: `s:<type>` and `s:<type>:example`. */
export const startData = callbackData<StartData>({
  prefix: "s",
  encode: ({ type, isExample }) => (isExample ? [type, EXAMPLE] : [type]),
  decode([name, example, ...rest]) {
    const type = GENERATION_TYPES.find((one) => one === name);
    if (!type || rest.length > 0 || (example !== undefined && example !== EXAMPLE)) return undefined;
    return { type, isExample: example === EXAMPLE };
  },
});
