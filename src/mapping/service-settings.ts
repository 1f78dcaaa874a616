import { z } from "zod";

const stepSchema = z.strictObject({
  every_ms: z.int().positive().max(60_000),
  /** Age of the task, from its acceptance, at which the next step begins. */
  until_sec: z.int().positive().exactOptional(),
});

/** Pauses between polls of a task, by its age. */
const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .refine(
    (steps) =>
      steps.every(({ until_sec }, index) => (until_sec === undefined) === (index === steps.length - 1)),
    "every step but the last has an end",
  )
  .refine(
    (steps) =>
      steps.every(({ until_sec = Infinity }, index) => until_sec > (steps[index - 1]?.until_sec ?? 0)),
    "the ends of steps must ascend",
  );

/** Limits of one service, which stand in the catalogue file under `services`. */
export const serviceSettingsSchema = z.strictObject({
  concurrency: z.int().positive(),
  submits: z.strictObject({ count: z.int().positive(), per_ms: z.int().positive() }).exactOptional(),
  /** Limits the calls about tasks, results included. Tasks that would need more are polled less often. */
  polls_per_sec: z.number().positive().exactOptional(),
  /** Polls of tasks, by the kind of their files. Without it the `poll` of their mapping tells. */
  polls: z.partialRecord(z.enum(["image", "video", "audio"]), stepsSchema).exactOptional(),
});
export type ServiceSettings = z.infer<typeof serviceSettingsSchema>;

/** Rubles for one unit of a currency. */
export const ratesSchema = z.record(z.string().min(1), z.number().positive().max(1_000_000));
export type Rates = z.infer<typeof ratesSchema>;

/** Returns the rubles for one unit of a currency. A ruble without a rate is one. */
export function rateOf(currency: string, rates: Rates): number | undefined {
  if (Object.hasOwn(rates, currency)) return rates[currency];
  return currency === "RUB" ? 1 : undefined;
}
