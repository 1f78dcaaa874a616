const WITHOUT = String.raw`(?:без|не надо|no|without)\s+(?:\p{L}+\s+){0,2}`;
const VOICE = [
  "голос(?:а|у|ом|е|ами)?",
  "вокал(?:а|у|ом|е|ист|истка|истки|ьн\\p{L}+)?",
  "по[её]т",
  "поют",
  "спой\\p{L}*",
  "пев(?:ец|ица|ицы|цом|ицей)",
  "хор(?:а|ом)?",
  "voices?",
  "vocals?",
  "vocalists?",
  "singers?",
  "sing(?:s|ing)?",
  "sung",
  "choir",
].join("|");
const NAMED = new RegExp(`(?<!\\p{L})(${WITHOUT})?(?:${VOICE})(?!\\p{L})`, "giu");

/** True for a description that asks for somebody who sings. `без голоса` does not. */
export function namesVoice(text: string): boolean {
  return [...text.matchAll(NAMED)].some(([, without]) => without === undefined);
}
