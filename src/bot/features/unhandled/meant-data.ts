import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import { callbackData } from "../../telegram/callback-data.js";

/** Format: `i:<type>`. The words are in the message that the button's message replies to. */
export const meantData = callbackData<GenerationType>({
  prefix: "i",
  encode: (type) => [type],
  decode([type, ...rest]) {
    return rest.length > 0 ? undefined : GENERATION_TYPES.find((known) => known === type);
  },
});
