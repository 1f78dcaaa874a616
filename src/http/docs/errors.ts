import type { OpenApiDocument, OpenApiOperation } from "../v1/openapi-document.js";
import { anchor, type Html, html, prose } from "./html.js";

export interface ErrorRow {
  status: string;
  code: string;
  meaning: string;
}

export function errorsOf({ responses }: OpenApiOperation): readonly ErrorRow[] {
  return Object.entries(responses)
    .filter(([status]) => status !== "200")
    .flatMap(([status, { content }]) =>
      Object.entries(content["application/json"].examples).map(([code, { summary = "" }]) => ({
        status,
        code,
        meaning: summary,
      })),
    );
}

export function allErrors(operations: readonly OpenApiOperation[]): readonly ErrorRow[] {
  const byCode = new Map(operations.flatMap(errorsOf).map((row) => [row.code, row]));
  return [...byCode.values()].sort((a, b) => Number(a.status) - Number(b.status));
}

export function commonCodes(operations: readonly OpenApiOperation[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = operations.map(
    (operation) => new Set(errorsOf(operation).map(({ code }) => code)),
  );
  return new Set([...first].filter((code) => others.every((codes) => codes.has(code))));
}

export function operationsOf({ paths }: OpenApiDocument): readonly OpenApiOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

export function errorTable(rows: readonly ErrorRow[], isTarget: boolean): Html {
  const lines = rows.map(
    ({ status, code, meaning }) => html`<tr${isTarget ? html` id="${errorAnchor(code)}"` : undefined}>
<td class="status">${status}</td>
<th scope="row">${isTarget ? html`<code>${code}</code>` : html`<a href="#${errorAnchor(code)}"><code>${code}</code></a>`}</th>
<td>${prose(meaning)}</td></tr>`,
  );
  return html`<table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}

function errorAnchor(code: string): string {
  return anchor("error", code);
}
