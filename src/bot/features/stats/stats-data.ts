import { callbackData } from "../../telegram/callback-data.js";

export const SPANS = ["today", "week", "month"] as const;
export type StatsSpan = (typeof SPANS)[number];

/** Encodes `st:<span>`. */
export const statsData = callbackData<{ span: StatsSpan }>({
  prefix: "st",
  encode: ({ span }) => [span],
  decode([name, ...rest]) {
    const span = SPANS.find((known) => known === name);
    return span === undefined || rest.length > 0 ? undefined : { span };
  },
});
