import type { JsonSchema } from "../v1/json-schema.js";
import { anchor, type Html, type HtmlContent, html, joined } from "./html.js";

/** The subset of JSON Schema that the reference shows. */
export interface SchemaNode {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly SchemaNode[];
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  items?: SchemaNode;
  additionalProperties?: SchemaNode | boolean;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  default?: unknown;
  deprecated?: boolean;
  examples?: readonly unknown[];
}

export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

export function schemaAnchor(name: string): string {
  return anchor("schema", name);
}

/** Follows a reference; other schemas are returned unchanged. */
export function resolved(node: SchemaNode, named: NamedSchemas): SchemaNode {
  const name = referredName(node);
  return name === undefined ? node : ((named[name] ?? {}) as SchemaNode);
}

/** Lists a schema and its titled objects, outermost first. */
export function titledParts(name: string, node: SchemaNode): readonly (readonly [string, SchemaNode])[] {
  return [[name, node], ...innerNodes(node).flatMap(titledBelow)];
}

export function typeLabel(node: SchemaNode, named: NamedSchemas): Html {
  const name = referredName(node);
  const target = resolved(node, named);
  if (name !== undefined && target.properties) return linkTo(name);
  if (target.const !== undefined) return html`<code>${JSON.stringify(target.const)}</code>`;
  const labels = target.anyOf
    ? target.anyOf.map((branch) => typeLabel(branch, named))
    : [target.type ?? "any"].flat().map((type) => oneType(type, target, named));
  const distinct = new Map(labels.map((label) => [label.markup, label]));
  return html`${joined([...distinct.values()], " or ")}`;
}

/** Lists constraints beyond the type. A union has none: its description states them per type. */
export function constraintsOf(node: SchemaNode): readonly HtmlContent[] {
  if ([node.type].flat().filter((type) => type !== "null").length > 1) return [];
  const { minimum, maximum, pattern } = node;
  const constraints: HtmlContent[] = [];
  if (node.enum) constraints.push(html`One of ${joined(node.enum.map(value), ", ")}`);
  if (isTold(minimum)) constraints.push(html`At least ${value(minimum)}`);
  if (isTold(maximum)) constraints.push(html`At most ${value(maximum)}`);
  if (pattern !== undefined) constraints.push(html`Pattern <code>${pattern}</code>`);
  if (node.default !== undefined) constraints.push(html`Default ${value(node.default)}`);
  return constraints;
}

export function value(of: unknown): Html {
  return html`<code>${typeof of === "string" ? of : JSON.stringify(of)}</code>`;
}

function oneType(type: string, node: SchemaNode, named: NamedSchemas): Html {
  if (type === "array") return html`array of ${typeLabel(node.items ?? {}, named)}`;
  if (type !== "object") return html`${type}`;
  if (node.title !== undefined) return linkTo(node.title);
  const { additionalProperties: inner } = node;
  const isMapOfObjects = typeof inner === "object" && inner.title !== undefined;
  return isMapOfObjects ? html`object of ${typeLabel(inner, named)}` : html`object`;
}

function linkTo(name: string): Html {
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

function isTold(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

function referredName({ $ref }: SchemaNode): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

function innerNodes(node: SchemaNode): readonly SchemaNode[] {
  const { properties = {}, items, additionalProperties } = node;
  const map = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...Object.values(properties), ...(items ? [items] : []), ...map];
}

function titledBelow(node: SchemaNode): readonly (readonly [string, SchemaNode])[] {
  if (node.title !== undefined && node.properties) return titledParts(node.title, node);
  return innerNodes(node).flatMap(titledBelow);
}
