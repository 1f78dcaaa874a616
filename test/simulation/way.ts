/** How the service runs; `front_end`: with `CORE=api`. */
export const WAYS = ["embedded", "front_end"] as const;
export type Way = (typeof WAYS)[number];
