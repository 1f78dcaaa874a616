/** What a person does next: writes a text, or taps the first button whose label fits. */
export type Step = { text: string } | { tap: RegExp };

const FIRST_MODEL = /^Nano Banana/;

/** One walk through the wizard, from the list of models to a card that waits only for being paid. */
export const WIZARD: readonly Step[] = [
  { text: "/image" },
  { tap: FIRST_MODEL },
  { tap: /^Quality: / },
  { tap: /^2K · / },
  { tap: /^Format: / },
  { tap: /^16:9$/ },
  { tap: /^Images: / },
  { tap: /^3 · / },
  { text: "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas" },
];

/** A card with a chosen model. */
export const OPEN_CARD: readonly Step[] = [{ text: "/image" }, { tap: FIRST_MODEL }];

/** Two taps that can be made on an open card any number of times: they pick another size each time. */
export const TAP_PAIR: readonly Step[] = [{ tap: /^Quality: / }, { tap: /^\dK · / }];

/** From nothing to a paid order. */
export const ORDER: readonly Step[] = [...OPEN_CARD, { text: "a red fox" }, { tap: /^✅/ }];

/** The same for a video. */
export const VIDEO_ORDER: readonly Step[] = [
  { text: "/video" },
  { tap: /^Veo/ },
  { text: "a red fox runs" },
  { tap: /^✅/ },
];
