import type { GenerationType, PriceRow, PriceTable } from "../../contract/model.js";
import { type Html, html } from "./html.js";

/** Formats the range of prices in rubles. */
export function priceRange(table: PriceTable): string {
  const prices = leavesOf(table);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  return least === most ? `${least}` : `${least}–${most}`;
}

/** Renders a price table of any shape of section 2.2, in rubles. */
export function priceGrid(table: PriceTable, type: GenerationType): Html {
  if (typeof table === "number") return html`<p class="fixed-price"><strong>${table}\u00a0₽</strong></p>`;
  const rows = rowsOf(table, []);
  const columns = [...new Set(rows.flatMap(({ prices }) => Object.keys(prices)))];
  const heads = columns.map((name) => html`<th scope="col">${columnTitle(name, type)}</th>`);
  const corner = rows.some(({ path }) => path.length > 0) ? html`<td></td>` : undefined;
  const lines = rows.map(
    ({ path, prices }) => html`<tr>${corner && html`<th scope="row">${path.join(", ")}</th>`}
${columns.map((name) => html`<td>${prices[name] ?? "—"}</td>`)}</tr>`,
  );
  return html`<div class="scroll"><table class="prices">
<thead><tr>${corner}${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function columnTitle(name: string, type: GenerationType): string {
  return type === "video" ? `${name} s` : name;
}

function rowsOf(
  table: Exclude<PriceTable, number>,
  path: readonly string[],
): readonly { path: readonly string[]; prices: PriceRow }[] {
  if (isRow(table)) return [{ path, prices: table }];
  return Object.entries(table).flatMap(([name, inner]) =>
    typeof inner === "number" ? [] : rowsOf(inner, [...path, name]),
  );
}

function isRow(table: Exclude<PriceTable, number>): table is PriceRow {
  return Object.values(table).every((price) => typeof price === "number");
}

function leavesOf(node: unknown): readonly number[] {
  if (typeof node === "number") return [node];
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(leavesOf) : [];
}
