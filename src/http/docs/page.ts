import type { Model } from "../../contract/model.js";
import type { OpenApiDocument } from "../v1/openapi-document.js";
import { allErrors, errorTable, operationsOf } from "./errors.js";
import { guideParts } from "./guide.js";
import { Html, html, paragraphs, prose } from "./html.js";
import { limitTable } from "./limits.js";
import { kindsOf, modelSections } from "./models.js";
import { documentedOperations, methodBadge, operationAnchor, operationSection } from "./operation.js";
import { constraintsOf, type SchemaNode, schemaAnchor, titledParts, typeLabel } from "./schema.js";
import { answerTable } from "./schema-table.js";
import { STYLE } from "./style.js";

export interface PageOptions {
  reference: OpenApiDocument;
  models: readonly Model[];
  rateLimitPerMinute: number;
}

/** Renders the reference as one page without external resources. */
export function docsPage(options: PageOptions): string {
  const { title, version } = options.reference.info;
  const contents = contentsOf(options);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${version}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="layout">
<nav class="side" aria-label="Contents"><p class="brand">${title} <small>${version}</small></p>${contents}</nav>
<main id="content" tabindex="-1">
<header>
<h1>${title} <small>${version}</small></h1>
<details class="contents"><summary>Contents</summary><nav aria-label="Contents of the page">${contents}</nav></details>
${paragraphs(options.reference.info.description)}
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${options.reference.openapi}).</p>
</header>
${bodyOf(options)}
</main>
</div>
</body>
</html>
`;
  return page.markup;
}

function bodyOf({ reference, models, rateLimitPerMinute }: PageOptions): Html {
  const guide = guideParts(reference.servers[0].url).map(
    ({ id, title, content }) => html`<section aria-labelledby="${id}">
<h3 id="${id}"><a href="#${id}">${title}</a></h3>${content}</section>`,
  );
  return html`${chapter("Getting started", guide)}
${chapter(
  "Endpoints",
  documentedOperations(reference).map((place) => operationSection(place, reference, models)),
)}
${chapter("Resources", resources(reference))}
${chapter("Models", [
  html`<p>${models.length} models, as <code>GET /models</code> lists them now. Their order and content may
change: read the list before you integrate a model.</p>`,
  ...modelSections(models),
])}
${chapter("Errors", [
  html`<p>An error has <code>ok</code> false and its code in <code>error</code>. Those of the server (a path
or method that is unknown, a URL or headers that are too long, an internal error) may answer any request.</p>`,
  errorTable(allErrors(operationsOf(reference)), true),
])}
${chapter("Limits", [limitTable(rateLimitPerMinute)])}`;
}

const CHAPTERS = ["Getting started", "Endpoints", "Resources", "Models", "Errors", "Limits"] as const;
type Chapter = (typeof CHAPTERS)[number];

function chapterAnchor(title: Chapter): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

function chapter(title: Chapter, content: readonly Html[]): Html {
  const id = chapterAnchor(title);
  return html`<section class="chapter" aria-labelledby="${id}">
<h2 id="${id}"><a href="#${id}">${title}</a></h2>${content}</section>`;
}

function partsOf({ components }: OpenApiDocument): readonly (readonly [string, SchemaNode])[] {
  return Object.entries(components.schemas).flatMap(([name, schema]) => titledParts(name, schema));
}

function resources(reference: OpenApiDocument): readonly Html[] {
  const named = reference.components.schemas;
  return partsOf(reference).map(([name, node]) => {
    const id = schemaAnchor(name);
    const body = node.properties
      ? answerTable(node, named)
      : html`<p>${prose(node.description ?? "")}. Type: ${typeLabel(node, named)}.</p>
${constraintsOf(node).map((constraint) => html`<p class="constraints">${constraint}</p>`)}`;
    return html`<section aria-labelledby="${id}"><h3 id="${id}"><a href="#${id}">${name}</a></h3>${body}</section>`;
  });
}

function contentsOf({ reference, models }: PageOptions): Html {
  const sections: Readonly<Partial<Record<Chapter, readonly Html[]>>> = {
    "Getting started": guideParts(reference.servers[0].url).map(({ id, title }) => linkTo(id, title)),
    Endpoints: documentedOperations(reference).map((place) =>
      linkTo(operationAnchor(place), html`${methodBadge(place.method)} ${place.path}`),
    ),
    Resources: partsOf(reference).map(([name]) => linkTo(schemaAnchor(name), name)),
    Models: kindsOf(models).map(({ id, title }) => linkTo(id, title)),
  };
  const items = CHAPTERS.map((title) => {
    const inner = sections[title];
    return html`<li>${linkTo(chapterAnchor(title), title)}
${inner && html`<ul>${inner.map((link) => html`<li>${link}</li>`)}</ul>`}</li>`;
  });
  return html`<ul class="toc">${items}</ul>`;
}

function linkTo(id: string, label: string | Html): Html {
  return html`<a href="#${id}">${label}</a>`;
}
