const SAFE_PROTOCOLS = ["http:", "https:", "mailto:", "tel:", "tg:"];

/** An address that may be opened, or nothing: `javascript:` and the like never become a link. */
export function safeUrl(address: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:/iu.test(address) && !/^[^/:]+:\d/u.test(address);
  const text = hasScheme ? address : `https://${address}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return SAFE_PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

/**
 * The start parameter of a link to this bot (`https://t.me/BOT?start=P`, `tg://resolve?domain=BOT&start=P`),
 * empty when it has none; nothing for any other link.
 */
export function startParameter(address: string, botUsername: string | undefined): string | undefined {
  if (botUsername === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isWeb = /^https?:$/u.test(url.protocol) && ["t.me", "telegram.me"].includes(url.hostname);
  const name = isWeb ? url.pathname.slice(1) : url.searchParams.get("domain");
  if (!isWeb && url.protocol !== "tg:") return undefined;
  if (name?.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  return url.searchParams.get("start") ?? "";
}

/** Puts a text on the clipboard. Returns false where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
