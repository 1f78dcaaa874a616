import { callbackData, readNatural } from "../../telegram/callback-data.js";

const MODEL_ACTIONS = ["show", "off", "on", "note", "clear"] as const;

export type ModelData =
  | { action: "list"; page: number }
  | { action: (typeof MODEL_ACTIONS)[number]; token: string };

/** Encodes `mo:list:<page>`, or `mo:<action>:<token of a model>`. */
export const modelData = callbackData<ModelData>({
  prefix: "mo",
  encode: (data) => [data.action, data.action === "list" ? data.page : data.token],
  decode([name, value = "", ...rest]) {
    if (rest.length > 0) return undefined;
    const page = name === "list" ? readNatural(value) : undefined;
    if (page !== undefined) return { action: "list", page };
    const action = MODEL_ACTIONS.find((known) => known === name);
    return action === undefined || !/^[~\w.-]{1,40}$/.test(value) ? undefined : { action, token: value };
  },
});
