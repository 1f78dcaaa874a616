import type { Model } from "../../contract/model.js";
import type {
  OpenApiDocument,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiResponse,
  Parameter,
} from "../v1/openapi-document.js";
import { BEARER_HEADER, codeBlock, curl, jsonCode } from "./code.js";
import { commonCodes, errorsOf, errorTable, operationsOf } from "./errors.js";
import { anchor, type Html, html, paragraphs, prose } from "./html.js";
import { constraintsOf, type NamedSchemas, resolved, type SchemaNode, typeLabel } from "./schema.js";
import { aliasTable, answerTable, requestTable } from "./schema-table.js";

export interface DocumentedOperation {
  path: string;
  method: string;
  operation: OpenApiOperation;
}

export function documentedOperations({ paths }: OpenApiDocument): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

export function operationAnchor({ operation }: DocumentedOperation): string {
  return anchor("operation", operation.operationId);
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

export function operationSection(
  place: DocumentedOperation,
  document: OpenApiDocument,
  models: readonly Model[],
): Html {
  const { path, method, operation } = place;
  const { requestBody, responses, summary, description } = operation;
  const named = document.components.schemas;
  const id = operationAnchor(place);
  const answer = responses["200"]?.content["application/json"];
  return html`<section class="operation" aria-labelledby="${id}">
<h3 id="${id}"><a href="#${id}">${summary}</a></h3>
<p class="route">${methodBadge(method)} <code>${path}</code>
<span class="key">${needsKey(operation) ? "key required" : "no key"}</span></p>
${paragraphs(description)}
${parameterTable("Path parameters", operation, "path", named)}
${parameterTable("Request headers", operation, "header", named)}
${requestBody && requestPart(id, requestBody.content["application/json"], named, models)}
<h4>Example ${requestBody ? "requests" : "request"}</h4>
<div class="examples">${callExamples(place, document)}</div>
${answer && answerPart(answer, named)}
${headerTable(responses["200"]?.headers)}
${errorPart(operation, document)}
</section>`;
}

function needsKey({ security }: OpenApiOperation): boolean {
  return security === undefined;
}

function parameterTable(
  title: string,
  { parameters = [] }: OpenApiOperation,
  place: Parameter["in"],
  named: NamedSchemas,
): Html | undefined {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return undefined;
  const rows = found.map(
    ({ name, description, schema }) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td class="type">${typeLabel(schema, named)}</td>
<td><span>${prose(description)}</span>${constraintsOf(resolved(schema, named)).map((one) => html`<span class="constraints">${one}</span>`)}</td>
</tr>`,
  );
  return html`<h4>${title}</h4><table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function requestPart(id: string, media: OpenApiMedia, named: NamedSchemas, models: readonly Model[]): Html {
  const { anyOf, ...whole }: SchemaNode = media.schema;
  const kinds = (anyOf ?? [whole]).map((kind) => {
    const { title = "" } = kind;
    const kindId = anchor(id, title);
    return html`<h5 id="${kindId}"><a href="#${kindId}">${title} request</a></h5>
${requestTable(kind, named, (name) => requirementOf(name, kind, models))}
${aliasTable(kind, "Other names, accepted for compatibility")}`;
  });
  return html`<h4>Request body</h4>
<p>JSON in UTF-8. Which values a parameter takes depends on the model:
see <a href="#models">the models</a>.</p>${kinds}`;
}

/** Tells whether a field is required by the schema, or by the models of the kind that have it. */
function requirementOf(name: string, kind: SchemaNode, models: readonly Model[]): string {
  if (kind.required?.includes(name)) return "yes";
  const type = kind.properties?.type?.const;
  const taking = models
    .filter((model) => model.type === type)
    .flatMap(({ parameters: taken }) => taken[name] ?? []);
  const requiring = taking.filter(({ required }) => required);
  if (requiring.length === 0) return "no";
  return requiring.length === taking.length ? "yes" : "by some models";
}

function callExamples({ path, operation }: DocumentedOperation, document: OpenApiDocument): readonly Html[] {
  const url = `${document.servers[0].url}${pathExample(path, operation, document)}`;
  const call = { url, ...(needsKey(operation) && { keyHeader: BEARER_HEADER }) };
  const bodies = operation.requestBody?.content["application/json"].examples;
  if (!bodies) return [codeBlock("curl", curl(call))];
  return Object.entries(bodies).map(([name, { value }]) => codeBlock(name, curl({ ...call, body: value })));
}

function pathExample(
  path: string,
  { parameters: taken = [] }: OpenApiOperation,
  document: OpenApiDocument,
): string {
  return path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const parameter = taken.find((one) => one.name === name);
    const { examples = [] } = resolved(parameter?.schema ?? {}, document.components.schemas);
    return examples.length > 0 ? String(examples[0]) : placeholder;
  });
}

function answerPart({ schema, examples }: OpenApiMedia, named: NamedSchemas): Html {
  const blocks = Object.entries(examples).map(([name, { value }]) => codeBlock(name, jsonCode(value)));
  return html`<h4>Answer, status 200</h4>
${answerTable(schema, named)}
<h4>Example ${blocks.length === 1 ? "answer" : "answers"}</h4>
<div class="examples">${blocks}</div>`;
}

function headerTable(headers: OpenApiResponse["headers"] = {}): Html {
  const rows = Object.entries(headers).map(
    ([name, { description }]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${prose(description)}</td></tr>`,
  );
  return html`<h4>Headers of the answer</h4><table class="aliases">
<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function errorPart(operation: OpenApiOperation, document: OpenApiDocument): Html {
  const common = commonCodes(operationsOf(document));
  const own = errorsOf(operation).filter(({ code }) => !common.has(code));
  const anyRequest = html`<a href="#errors">errors of any request</a>`;
  return own.length === 0
    ? html`<h4>Errors</h4><p>Only the ${anyRequest}.</p>`
    : html`<h4>Errors</h4>${errorTable(own, false)}<p class="after">And the ${anyRequest}.</p>`;
}
