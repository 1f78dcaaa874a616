/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { expect, test } from "vitest";
import type { Model } from "../../src/contract/model.js";
import { CLOSED_API, startServer } from "../http/harness.js";
import { catalogue } from "../support/core.js";
import { openBrowser } from "./browser.js";

const browser = openBrowser();

const WIDTH = 390;
const HOSTILE = `<img src=//a.example/x onerror="document.title='run'"> ![y](//a.example/y) [z](javascript:z)`;

test("on a phone in dark colours the reference shows each operation and model, and calls no other host", async () => {
  const [first, ...others] = catalogue.models;
  if (!first) throw new Error("an empty catalogue");
  const name = `\`${HOSTILE}\``;
  const hostile: Model = {
    ...first,
    title: HOSTILE,
    about: { en: HOSTILE, ru: HOSTILE },
    price_rub: { [name]: { [name]: 5 } },
    parameters: { [name]: { type: "string", required: true, values: [name], note: name } },
  };
  const { url } = await startServer({ api: { ...CLOSED_API, models: [hostile, ...others] } });
  const page = await browser().newPage({ viewport: { width: WIDTH, height: 844 }, colorScheme: "dark" });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.goto(`${url}/docs`);
  for (const [place, summary] of [
    ["GET/health", "Is the API there?"],
    ["GET/balance", "The balance"],
    ["GET/models", "The catalogue of models"],
    ["POST/generations", "Submit a generation"],
    ["GET/generations/{id}", "The state of a job"],
  ] as const) {
    // An operation is drawn when it comes into view.
    await page.goto(`${url}/docs#tag/generation/${place}`);
    await page.getByRole("heading", { name: summary }).first().waitFor();
  }
  for (const { title } of [hostile, ...others])
    expect(await page.getByRole("heading", { level: 3, name: title }).count(), title).toBeGreaterThan(0);

  const seen = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    title: document.title,
    document: [...document.querySelectorAll("a")].find((link) => link.textContent === "openapi.json")?.href,
    links: [...document.querySelectorAll("a")]
      .filter((link) => link.checkVisibility() && link.origin !== location.origin)
      .map(({ href }) => href),
    paper: getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? [],
  }));
  expect(seen).toMatchObject({
    width: WIDTH,
    title: "Generation API v1",
    links: [],
    document: `${url}/openapi.json`,
  });
  expect(Math.max(...seen.paper.slice(0, 3)), seen.paper.join()).toBeLessThan(128);
  expect(asked).toEqual([`${url}/docs`, `${url}/docs/reference.js`]);
  expect(complaints).toEqual([]);
  await page.close();
});
