import { expect, it } from "vitest";
import { routeFor } from "../../src/routes/choose-route.js";
import { imageRequest, routeOf } from "./routes.js";

const text = routeOf({ endpoint: "text", when: { reference_urls: false, resolution: ["1K"] } });
const edit = routeOf({
  endpoint: "edit",
  when: { reference_urls: true, resolution: ["1K", "2K"] },
  input: { prompt: "$prompt", images: "$reference_urls" },
  limits: { reference_urls: 1 },
});
const links = ["https://a.test/1"];

it("takes the first route that takes the whole request", () => {
  expect(routeFor([text, edit], imageRequest({ resolution: "1K" }))).toEqual({ route: text });
  expect(routeFor([text, edit], imageRequest({ resolution: "2K", reference_urls: links }))).toEqual({
    route: edit,
  });
  const later = { ...edit, endpoint: "later", limits: {} };
  const two = imageRequest({ resolution: "2K", reference_urls: [...links, ...links] });
  expect(routeFor([text, edit, later], two)).toEqual({ route: later });
});

it("names the field that the nearest route does not take", () => {
  expect(routeFor([edit, text], imageRequest({ resolution: "4K" }))).toEqual({ refusedField: "resolution" });
  expect(routeFor([text, edit], imageRequest({ resolution: "1K", sound: true }))).toEqual({
    refusedField: "sound",
  });
  const two = imageRequest({ resolution: "2K", reference_urls: [...links, ...links] });
  expect(routeFor([text, edit], two)).toEqual({ refusedField: "reference_urls" });
});

it("names the model where the service has no route", () => {
  expect(routeFor([], imageRequest())).toEqual({ refusedField: "model_key" });
});
