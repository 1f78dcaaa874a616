import { z } from "zod";
import { offersSchema } from "./offers-schema.js";

/** Returns the JSON Schema of an offers file, for editors. The rules about other fields and the catalogue are not in it. */
export function offersJsonSchema(): object {
  return {
    ...z.toJSONSchema(offersSchema, { io: "input", unrepresentable: "any" }),
    title: "Offers of Atelier",
  };
}
