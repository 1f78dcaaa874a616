import { expect, test } from "vitest";
import type { Model } from "../../src/contract/model.js";
import { API_ERRORS } from "../../src/http/v1/errors.js";
import { catalogue } from "../support/core.js";
import { CLOSED_API, startServer } from "./harness.js";
import type { Reference } from "./v1/judge.js";

const PUBLIC_URL = "https://studio.example.org";

/** The page of a service with these models, its document, and the guide in it. */
async function openDocs(models: readonly Model[] = catalogue.models) {
  const { url } = await startServer({ api: { ...CLOSED_API, models }, publicUrl: PUBLIC_URL });
  const answer = await fetch(`${url}/docs`);
  const page = await answer.text();
  const [, json = ""] =
    /<script id="api-reference" type="application\/json"[^>]*>([^<]*)<\/script>/.exec(page) ?? [];
  const document = JSON.parse(json) as Reference & { info: { description: string } };
  return { url, answer, page, document, guide: document.info.description };
}

test("the page is the reference of this service, with a guide as its introduction", async () => {
  const { url, answer, document, guide } = await openDocs();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const served = (await (await fetch(`${url}/openapi.json`)).json()) as typeof document;
  expect({ ...document, info: { ...document.info, description: served.info.description } }).toEqual(served);
  expect(document.servers).toEqual([{ url: `${PUBLIC_URL}/v1` }]);
  expect(guide).toContain(`curl ${PUBLIC_URL}/v1/balance \\\n  -H "X-API-Key: $API_KEY"`);
  expect(guide).not.toMatch(/[{}]/);
});

test("the guide lists every error code with its status and meaning", async () => {
  const { guide } = await openDocs();
  const told = guide.replace(/\\(?=\W)/g, "");
  for (const [code, { status, meaning }] of Object.entries(API_ERRORS))
    expect(told).toContain(`- \`${code}\` (${status}): ${meaning}\n`);
});

test("the guide lists every active model with each of its parameters and prices", async () => {
  const { guide } = await openDocs();
  expect(catalogue.models).toHaveLength(19);
  for (const model of catalogue.models) {
    const [, details = ""] = guide.split(`\n\`${model.model_key}\`: `);
    const [shown = ""] = details.split(/\n##? |\n### /);
    for (const [name, parameter] of Object.entries(model.parameters))
      expect(shown.includes(`\n- \`${name}\` (`), `${model.model_key} ${name}`).toBe(parameter !== null);
    const prices = JSON.stringify(model.price_rub).match(/\d+(?:\.\d+)?(?=[,}]|$)/g) ?? [];
    expect(prices.length).toBeGreaterThan(0);
    for (const price of prices) expect(shown).toMatch(new RegExp(`[|*] ?${price}(?: \\||\u00a0₽)`));
  }
});

test("the page runs one program of its own service, which may call nobody", async () => {
  const { url, answer, page } = await openDocs();
  expect(answer.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
  });
  expect(page.match(/<script[^>]*>/g)).toHaveLength(2);
  expect(page.match(/ (?:src|href)="[^"]*"/g)).toEqual([' href="openapi.json"', ' src="docs/reference.js"']);
  const program = await fetch(`${url}/docs/reference.js`);
  expect([program.status, program.headers.get("content-type")]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
  expect(await program.text()).toContain("@scalar/api-reference");
});

test("catalogue text stays text in the page, whatever it contains", async () => {
  const hostile = `</script><script>alert(1)</script>"onfocus="x' & \`<b>\` | ![x](https://a.example/x) {x}`;
  const [model] = catalogue.models;
  if (!model) throw new Error("an empty catalogue");
  const { page, guide } = await openDocs([
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
  expect(page.match(/<\/?script/g)).toHaveLength(4);
  expect(page).not.toMatch(/<[^>]*\sonfocus=/);
  expect(guide.split("alert").length).toBeGreaterThan(6);
  expect(guide).toContain(`\n### ${hostile.replace(/[^\w\s]/g, "\\$&")}\n`);
});

test("/ and /docs/ redirect to /docs", async () => {
  const { url, page } = await openDocs();
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(url, { method, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "docs"]);
  }
  expect((await fetch(url)).url).toBe(`${url}/docs`);
  const slash = await fetch(`${url}/docs/`);
  expect([slash.url, await slash.text()]).toEqual([`${url}/docs`, page]);
  const wrong = await fetch(url, { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
