import { type Html, type HtmlContent, html, joined } from "./html.js";

/** Renders code. Long blocks scroll, and can be reached with the keyboard. */
export function codeBlock(label: string, code: HtmlContent): Html {
  return html`<figure class="code"><figcaption>${label}</figcaption>
<pre tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre></figure>`;
}

/** Renders coloured JSON; lists of plain values stay on one line. */
export function jsonCode(value: unknown, indent = ""): Html {
  if (Array.isArray(value)) return listCode(value, indent);
  if (typeof value === "object" && value !== null) return objectCode(value, indent);
  if (typeof value === "string") return html`<span class="s">${JSON.stringify(value)}</span>`;
  return html`<span class="n">${String(value)}</span>`;
}

function listCode(values: readonly unknown[], indent: string): Html {
  if (values.every((value) => typeof value !== "object")) {
    return html`[${joined(
      values.map((value) => jsonCode(value)),
      ", ",
    )}]`;
  }
  const inner = `${indent}  `;
  const lines = values.map((value) => html`${inner}${jsonCode(value, inner)}`);
  return html`[\n${joined(lines, ",\n")}\n${indent}]`;
}

function objectCode(value: object, indent: string): Html {
  const entries = Object.entries(value);
  if (entries.length === 0) return html`{}`;
  const inner = `${indent}  `;
  const lines = entries.map(
    ([name, field]) =>
      html`${inner}<span class="k">${JSON.stringify(name)}</span>: ${jsonCode(field, inner)}`,
  );
  return html`{\n${joined(lines, ",\n")}\n${indent}}`;
}

interface Call {
  url: string;
  keyHeader?: string;
  body?: unknown;
}

export const BEARER_HEADER = "Authorization: Bearer $API_KEY";

/** Writes a curl command. curl sends POST if there is a body, as the API expects. */
export function curl({ url, keyHeader, body }: Call): string {
  const parts = [`curl ${url}`];
  if (keyHeader !== undefined) parts.push(`-H "${keyHeader}"`);
  if (body !== undefined) {
    parts.push('-H "Content-Type: application/json"');
    parts.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  }
  return parts.join(" \\\n  ");
}
