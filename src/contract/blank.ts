/** Fillers of Hangul, the empty Braille pattern and the sign for what cannot be read are letters or signs to Unicode. */
const VISIBLE = /(?![\u115f\u1160\u3164\uffa0\u2800\ufffd])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Tells whether nothing of a text is seen: such a text counts as absent. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
