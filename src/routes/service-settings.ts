import { z } from "zod";

/** Limits of one service, which stand in the catalogue file under `services`. */
export const serviceSettingsSchema = z.strictObject({
  /** Tasks in flight. */
  concurrency: z.int().positive(),
  /** Submits in any window of time. */
  submits: z.strictObject({ count: z.int().positive(), per_ms: z.int().positive() }).exactOptional(),
  polls_per_sec: z.number().positive().exactOptional(),
});
export type ServiceSettings = z.infer<typeof serviceSettingsSchema>;

/** Rubles for one unit of a currency, under `rates`. */
export const ratesSchema = z.record(z.string().min(1), z.number().positive().max(1_000_000));
export type Rates = z.infer<typeof ratesSchema>;
