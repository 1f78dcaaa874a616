/** What a service answers to a new task for a while: each says surely that nothing was made. */
export const MOODS = ["good", "unpaid", "throttled", "unreachable", "refusing"] as const;
export type Mood = (typeof MOODS)[number];
