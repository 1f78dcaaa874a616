import { z } from "zod";

const DAYS = [null, 7, 30, 90] as const;
const BALANCES = ["any", "positive", "empty"] as const;
const KINDS = ["news", "important"] as const;

/** Whom a message is for. `important` reaches people who want no news too. */
export const audienceSchema = z.object({
  kind: z.enum(KINDS),
  /** People who wrote in the last days; null for everybody. */
  days: z.union([z.null(), z.literal(7), z.literal(30), z.literal(90)]),
  /** A language code; null for all. */
  locale: z.string().nullable(),
  balance: z.enum(BALANCES),
});
export type BroadcastAudience = Readonly<z.infer<typeof audienceSchema>>;

export const EVERYBODY: BroadcastAudience = { kind: "news", days: null, locale: null, balance: "any" };

export const AUDIENCE_FIELDS = ["kind", "days", "locale", "balance"] as const;
export type AudienceField = (typeof AUDIENCE_FIELDS)[number];

/** Returns the audience with the next value of a field: the values of a field follow each other in a ring. */
export function withNext(
  audience: BroadcastAudience,
  field: AudienceField,
  locales: readonly string[],
): BroadcastAudience {
  switch (field) {
    case "kind":
      return { ...audience, kind: nextOf(KINDS, audience.kind) };
    case "days":
      return { ...audience, days: nextOf(DAYS, audience.days) };
    case "locale":
      return { ...audience, locale: nextOf([null, ...locales], audience.locale) };
    case "balance":
      return { ...audience, balance: nextOf(BALANCES, audience.balance) };
  }
}

/** Tells whether a person with this balance, in kopecks, is among the audience. */
export function hasBalance({ balance }: BroadcastAudience, kopecks: number): boolean {
  return balance === "any" || (balance === "positive") === kopecks > 0;
}

function nextOf<T>(values: readonly [T, ...T[]], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? values[0];
}
