import { z } from "zod";
import { GENERATION_TYPES } from "./model.js";

export const storedValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const storedRequest = z
  .object({ type: z.enum(GENERATION_TYPES), model_key: z.string(), prompt: z.string().exactOptional() })
  .catchall(storedValue);
