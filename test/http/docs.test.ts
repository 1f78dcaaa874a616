import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Model } from "../../src/contract/model.js";
import { API_ERRORS } from "../../src/http/v1/errors.js";
import { catalogue } from "../support/core.js";
import { CLOSED_API, startServer } from "./harness.js";
import { reference } from "./v1/judge.js";

const PUBLIC_URL = "https://studio.example.org";

/** The page of a service with these models. */
async function openDocs(models: readonly Model[] = catalogue.models) {
  const { url } = await startServer({ api: { ...CLOSED_API, models }, publicUrl: PUBLIC_URL });
  const answer = await fetch(`${url}/docs`);
  return { url, answer, page: await answer.text() };
}

/** The text of the page as a reader sees it. */
function textOf(page: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return page
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#39|amp);/g, (_all, name: string) => entities[name] ?? "");
}

/** The values of an attribute, in the page's order. */
function attributes(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, "g"))].map(([, value]) => value ?? "");
}

test("the page shows every operation with its fields, parameters and examples", async () => {
  const { answer, page } = await openDocs();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const text = textOf(page);
  for (const [path, methods] of Object.entries(reference.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      expect(text).toContain(`${method.toUpperCase()} ${path}`);
      expect(page).toContain(`id="operation-${operation.operationId.toLowerCase()}"`);
      for (const { value } of Object.values(
        operation.requestBody?.content["application/json"]?.examples ?? {},
      )) {
        expect(text).toContain(JSON.stringify(value, null, 2));
      }
    }
  }
  expect(text).toContain(`curl ${PUBLIC_URL}/v1/generations/1201 \\\n  -H "Authorization: Bearer $API_KEY"`);
  expect(text).toContain('-H "X-API-Key: $API_KEY"');
  const body = reference.paths["/generations"]?.post?.requestBody?.content["application/json"]?.schema;
  const { anyOf } = body as { anyOf: { properties: object }[] };
  for (const name of anyOf.flatMap(({ properties }) => Object.keys(properties))) {
    expect(page).toContain(`<code>${name}</code>`);
  }
});

test("the page explains refunds, idempotency keys and the expiry of a video's links", async () => {
  const text = textOf((await openDocs()).page);
  expect(text).toContain("A job that ends in error is refunded in full and at once");
  expect(text).toContain("repeat the POST with\nthe same key and the same body until it is answered");
  expect(text).toContain("one or two links in reference_urls become frames where the model has frames");
  expect(text).not.toContain("no idempotency key");
  expect(text).not.toContain("Absent: references if any are given");
});

test("the page shows every error code with its status and meaning", async () => {
  const text = textOf((await openDocs()).page);
  for (const [code, { status, meaning }] of Object.entries(API_ERRORS)) {
    expect(text, code).toContain(`${status}\n${code}\n${meaning.replaceAll("`", "")}`);
  }
});

test("the page shows every active model with each of its parameters and prices", async () => {
  const { page } = await openDocs();
  expect(catalogue.models).toHaveLength(19);
  for (const model of catalogue.models) {
    const [, details = ""] = page.split(`<div id="model-${model.model_key.replace(/[^a-z0-9]+/g, "-")}"`);
    const [shown = ""] = details.split("</details>");
    for (const [name, parameter] of Object.entries(model.parameters)) {
      expect(shown.includes(`<code>${name}</code>`), `${model.model_key} ${name}`).toBe(parameter !== null);
    }
    const prices = JSON.stringify(model.price_rub).match(/\d+(?:\.\d+)?(?=[,}]|$)/g) ?? [];
    expect(prices.length).toBeGreaterThan(0);
    for (const price of prices) expect(textOf(shown)).toContain(price);
    expect(textOf(shown)).toContain(model.about?.en);
  }
});

test("the page loads and runs nothing, and every link leads to a page of this service", async () => {
  const { url, page } = await openDocs();
  expect(page).not.toMatch(
    /<(?:script|img|iframe|object|link|form)\b|\ssrc=|\son\w+=|\sstyle=|@import|url\(/i,
  );
  const ids = attributes(page, "id");
  expect(new Set(ids).size).toBe(ids.length);
  for (const link of attributes(page, "href")) {
    if (link.startsWith("#")) expect(ids).toContain(link.slice(1));
    else {
      const linked = await fetch(new URL(link, url));
      expect(linked.status, link).toBe(200);
      await linked.arrayBuffer();
    }
  }
  expect(attributes(page, "href")).toContain("/openapi.json");
  expect(attributes(page, "href").filter((link) => !/^[#/](?!\/)/.test(link))).toEqual([]);
});

test("the page's CSP allows its own style and nothing else; the other security headers stay", async () => {
  const { answer, page } = await openDocs();
  const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  expect(answer.headers.get("content-security-policy")).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
  });
});

test("a HEAD returns headers only, a cached page is not sent again, and a POST is rejected", async () => {
  const { url, answer, page } = await openDocs();
  const head = await fetch(`${url}/docs`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    String(Buffer.byteLength(page)),
    "",
  ]);
  const etag = answer.headers.get("etag") ?? "";
  const known = await fetch(`${url}/docs`, { headers: { "if-none-match": etag } });
  expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, etag, ""]);
  expect(known.headers.get("content-security-policy")).toBe(answer.headers.get("content-security-policy"));
  const wrong = await fetch(`${url}/docs`, { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("catalogue text is escaped on the page, whatever it contains", async () => {
  const hostile = `</style><script>alert(1)</script>"onfocus="x' & \`<b>\``;
  const [model] = catalogue.models;
  if (!model) throw new Error("an empty catalogue");
  const { page } = await openDocs([
    {
      ...model,
      model_key: hostile,
      title: hostile,
      about: { en: hostile, ru: hostile },
      price_rub: { [hostile]: 5 },
      parameters: {
        [hostile]: { type: "string", required: false, values: [hostile], default: hostile, note: hostile },
      },
    },
  ]);
  expect(page).not.toContain("<script");
  expect(page).not.toContain("<b>");
  expect(page).not.toMatch(/<[^>]*\sonfocus=/);
  expect(textOf(page).split(hostile).length).toBeGreaterThan(6);
});

test("headings descend one level at a time, and the page begins with a skip link", async () => {
  const { page } = await openDocs();
  const levels = [...page.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level));
  expect(levels[0]).toBe(1);
  for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  expect(attributes(page, "href")[0]).toBe("#content");
});

test("/ redirects to /docs, and /docs/ is the same page", async () => {
  const { url, page } = await openDocs();
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(url, { method, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs"]);
  }
  expect(await (await fetch(`${url}/docs/`)).text()).toBe(page);
  const wrong = await fetch(url, { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("the page explains what happens with every kind of Authorization header", async () => {
  const text = textOf((await openDocs()).page).replace(/\s+/g, " ");
  expect(text).toContain(
    "Bearer decides alone, also when it is empty (api_key_required) or wrong (invalid_api_key)",
  );
  expect(text).toContain("such as Basic or a key without the word Bearer, is ignored, and X-API-Key counts");
  expect(text).toContain("WWW-Authenticate: Bearer");
});
