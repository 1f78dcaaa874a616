import { MEGABYTE } from "../../platform/units.js";
import { URL_LENGTH_MAX } from "../errors.js";
import { ACCOUNT_BODY_BYTES_MAX, ALL_BODY_BYTES_MAX, SMALL_BODY_BYTES } from "../v1/body-budget.js";
import { BODY_BYTES_MAX } from "../v1/json-body.js";
import { type Html, html, prose } from "./html.js";

export function limitTable(rateLimitPerMinute: number): Html {
  const rate =
    rateLimitPerMinute > 0 ? `${rateLimitPerMinute} a minute; above it \`rate_limited\`` : "Not limited";
  const limits: readonly (readonly [string, string])[] = [
    ["Body of a POST", `${BODY_BYTES_MAX / MEGABYTE} MB of JSON in UTF-8; above it \`payload_too_large\``],
    [
      `Bodies over ${SMALL_BODY_BYTES / 1024} KB at once`,
      `${ACCOUNT_BODY_BYTES_MAX / MEGABYTE} MB of one account, above it \`rate_limited\`; ` +
        `${ALL_BODY_BYTES_MAX / MEGABYTE} MB of all, above it \`service_unavailable\``,
    ],
    ["URL", `${URL_LENGTH_MAX} characters`],
    ["POSTs of one account, whatever its keys", rate],
    ["`prompt`", "As long as the model says, in characters"],
    ["`count`", "1 to 4 images a request"],
    ["`reference_urls`", "As many as the model says; the rest is cut"],
    [
      "Music texts",
      "`title` 120, `description` 8 to 1500, `lyrics` 20 to 4000, `custom_style` 700 characters",
    ],
    ["Music weights", "0 to 1, two decimals"],
    ["Signed links", "Valid for 1 hour"],
  ];
  const rows = limits.map(
    ([what, value]) => html`<tr><th scope="row">${prose(what)}</th><td>${prose(value)}</td></tr>`,
  );
  return html`<table class="aliases"><thead><tr><th scope="col">What</th><th scope="col">Limit</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}
