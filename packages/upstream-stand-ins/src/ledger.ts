import { z } from "zod";
import { SERVICE_NAMES } from "./service-name.js";

export const ledgerEntrySchema = z.object({
  /** ms since the epoch */
  at: z.number(),
  service: z.enum(SERVICE_NAMES),
  endpoint: z.string(),
  taskId: z.string(),
  /** The last characters of the key. */
  key: z.string(),
  price: z.object({ amount: z.number(), currency: z.string() }),
  body: z.record(z.string(), z.unknown()),
});

/** One accepted POST: money. */
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
