const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Reads the HTML entity that begins with the `&` at `at`: `&lt; &gt; &amp; &quot;` and numeric ones;
 * the semicolon may be missing. Anything else is no entity, and the `&` stands for itself.
 */
export function decodeEntity(source: string, at: number): { text: string; end: number } | undefined {
  const rest = source.slice(at, at + 12);
  const numeric = /^&#(?:x([0-9a-fA-F]{1,8})|(\d{1,8}));?/.exec(rest);
  if (numeric) {
    const code = numeric[1] ? Number.parseInt(numeric[1], 16) : Number(numeric[2]);
    if (code === 0 || code >= 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    return { text: String.fromCodePoint(code), end: at + numeric[0].length };
  }
  const named = /^&([a-z]+);?/i.exec(rest);
  const text = NAMED[named?.[1] ?? ""];
  return named && text !== undefined ? { text, end: at + named[0].length } : undefined;
}
