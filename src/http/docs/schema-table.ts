import { type Html, type HtmlContent, html, joined, prose } from "./html.js";
import { constraintsOf, type NamedSchemas, resolved, type SchemaNode, typeLabel } from "./schema.js";

type Field = readonly [name: string, node: SchemaNode];

export function answerTable(node: SchemaNode, named: NamedSchemas): Html {
  const rows = fieldsOf(node).map(
    ([name, field]) => html`<tr>
<th scope="row"><code>${name}</code>${node.required?.includes(name) ? undefined : html` <small>optional</small>`}</th>
<td class="type">${typeLabel(field, named)}</td>
<td>${meaningOf(field, named)}</td>
</tr>`,
  );
  return html`<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Renders a request. `requiredOf` says in a few words whether a field is required. */
export function requestTable(
  node: SchemaNode,
  named: NamedSchemas,
  requiredOf: (name: string) => string,
): Html {
  const rows = fieldsOf(node)
    .filter(([, field]) => !field.deprecated)
    .map(
      ([name, field]) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td class="type">${typeLabel(field, named)}</td>
<td class="need">${requiredOf(name)}</td>
<td>${meaningOf(field, named)}</td>
</tr>`,
    );
  return html`<table class="fields with-need">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Required</th>
<th scope="col">Meaning and limits</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

export function aliasTable(node: SchemaNode, caption: string): Html | undefined {
  const aliases = fieldsOf(node).filter(([, field]) => field.deprecated);
  if (aliases.length === 0) return undefined;
  const rows = aliases.map(
    ([name, field]) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td>${prose(field.description ?? "")}</td></tr>`,
  );
  return html`<table class="aliases"><caption>${caption}</caption>
<thead><tr><th scope="col">Alias</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function fieldsOf({ properties = {} }: SchemaNode): readonly Field[] {
  return Object.entries(properties);
}

function meaningOf(node: SchemaNode, named: NamedSchemas): HtmlContent {
  const target = resolved(node, named);
  const { description = target.description ?? "" } = node;
  const constraints = joined(constraintsOf(target.items?.enum ? target.items : target), " · ");
  return [
    description === "" ? undefined : html`<span>${prose(description)}</span>`,
    Array.isArray(constraints) && constraints.length > 0
      ? html`<span class="constraints">${constraints}</span>`
      : undefined,
  ];
}
