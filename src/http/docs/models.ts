import {
  GENERATION_TYPES,
  type GenerationType,
  type Model,
  type ModelParameter,
} from "../../contract/model.js";
import { anchor, type Html, type HtmlContent, html, joined, prose } from "./html.js";
import { priceGrid, priceRange } from "./prices.js";
import { value } from "./schema.js";

const KIND_TITLES: Readonly<Record<GenerationType, string>> = {
  image: "Images",
  video: "Videos",
  music: "Music",
};

export function kindsOf(models: readonly Model[]) {
  return GENERATION_TYPES.map((type) => ({
    title: KIND_TITLES[type],
    id: anchor("models", type),
    models: models.filter((model) => model.type === type),
  })).filter((kind) => kind.models.length > 0);
}

export function modelSections(models: readonly Model[]): readonly Html[] {
  return kindsOf(models).map(
    (kind) => html`<section aria-labelledby="${kind.id}">
<h3 id="${kind.id}"><a href="#${kind.id}">${kind.title}</a></h3>
<table class="catalogue">
<thead><tr><th scope="col">Model</th><th scope="col">Price, ₽</th><th scope="col">Parameters</th></tr></thead>
<tbody>${kind.models.map(overviewRow)}</tbody></table>
${kind.models.map(modelDetails)}
</section>`,
  );
}

function modelAnchor({ model_key }: Model): string {
  return anchor("model", model_key);
}

function overviewRow(model: Model): Html {
  const names = parametersOf(model).map(([name]) => html`<code>${name}</code>`);
  return html`<tr>
<th scope="row"><a href="#${modelAnchor(model)}">${model.title}</a> <code>${model.model_key}</code></th>
<td class="price">${priceRange(model.price_rub)}</td>
<td>${joined(names, " ")}</td></tr>`;
}

/** Renders a model. The link target is inside the block, so that a browser opens the block. */
function modelDetails(model: Model): Html {
  const rows = parametersOf(model).map(parameterRow);
  return html`<details class="model"><summary><span class="title">${model.title}</span>
<code>${model.model_key}</code></summary>
<div id="${modelAnchor(model)}" class="inside">
${model.about && html`<p>${model.about.en}</p>`}
<h4>Price</h4>${priceOf(model)}
<h4>Parameters</h4><table class="fields with-need">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Required</th>
<th scope="col">Values and conditions</th></tr></thead>
<tbody>${rows}</tbody></table></div></details>`;
}

function priceOf({ type, price_rub }: Model): HtmlContent {
  const unit = type === "image" ? "for one image" : type === "video" ? "for one video" : "for one job";
  const note = type === "video" ? ", without sound and at standard speed" : "";
  return html`<p>Rubles ${unit}${note}.</p>${priceGrid(price_rub, type)}`;
}

/** Lists the parameters of the model; others are ignored when sent. */
function parametersOf({ parameters }: Model): readonly (readonly [string, ModelParameter])[] {
  return Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter === null ? [] : [[name, parameter] as const],
  );
}

function parameterRow([name, parameter]: readonly [string, ModelParameter]): Html {
  const constraints = joined(boundsOf(parameter), " · ");
  return html`<tr>
<th scope="row"><code>${name}</code></th>
<td class="type">${parameter.type}</td>
<td class="need">${parameter.required ? "yes" : "no"}</td>
<td>${parameter.note === undefined ? undefined : html`<span>${prose(parameter.note)}</span>`}
<span class="constraints">${constraints}</span></td></tr>`;
}

function boundsOf({ type, values, min, max, default: standard }: ModelParameter): readonly HtmlContent[] {
  const bounds: HtmlContent[] = [];
  if (values)
    bounds.push(html`${values.length === 1 ? "Only" : "One of"} ${joined(values.map(value), ", ")}`);
  const range = min === undefined ? `At most ${max}` : `${min} to ${max}`;
  if (max !== undefined) bounds.push(`${range}${unitOf(type, max)}`);
  if (standard !== undefined && standard !== null) bounds.push(html`Default ${value(standard)}`);
  return bounds;
}

/** Returns the unit of a parameter's bounds; empty for a plain number. */
function unitOf(type: ModelParameter["type"], max: number): string {
  if (type === "string") return " characters";
  if (type === "array<string>") return max === 1 ? " element" : " elements";
  return "";
}
