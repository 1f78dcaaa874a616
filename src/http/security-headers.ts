export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export function rawHeaders(): string[] {
  return Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`);
}
