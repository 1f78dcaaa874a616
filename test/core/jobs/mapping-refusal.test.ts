import { expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { IMAGE, openTestCore, order, type TestCore } from "../../support/core.js";
import { paused } from "../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService } from "../../support/stub-provider.js";

const VIDEO: GenerationRequest = { type: "video", model_key: "veo-3-1", prompt: "a fox runs" };
const LINK = "https://example.com/1.png";

let world: TestCore;

/** A core with the service `a` alone. */
function openWorld(mappings: Parameters<typeof catalogueWith>[0]) {
  const service = createStubService("a");
  world = openTestCore({ providers: [service], catalogue: catalogueWith(mappings) });
  return service;
}

test.each<[code: string, request: GenerationRequest, mappings: object[], detail?: object]>([
  [
    "bad_aspect_ratio",
    { ...IMAGE, aspect_ratio: "16:9", resolution: "4K" },
    [{ when: { resolution: ["4K"], aspect_ratio: ["1:1", "9:16"] } }, { when: { resolution: ["1K"] } }],
    { allowed: ["1:1", "9:16"] },
  ],
  [
    "bad_reference_url",
    { ...IMAGE, resolution: "2K", reference_urls: [LINK] },
    [{ when: { reference_urls: false } }, { when: { resolution: ["1K"], reference_urls: true } }],
  ],
  ["reference_required", IMAGE, [{ when: { reference_urls: true } }]],
  [
    "prompt_too_long",
    { ...IMAGE, resolution: "4K" },
    [{ when: { resolution: ["4K"] }, limits: { prompt: 5 } }, { when: { resolution: ["1K"] } }],
  ],
  [
    "bad_duration_sec",
    { ...VIDEO, duration_sec: 6 },
    [{ output: { kind: "video", files: "/url" }, when: { duration_sec: [8] } }],
    { allowed: [8] },
  ],
  ["prompt_required", { ...IMAGE, prompt: "ox" }, [{ minima: { prompt: 3 } }]],
  [
    "model_disabled",
    { ...IMAGE, resolution: "2K", aspect_ratio: "1:1" },
    [
      { aspect_ratio: ["1:1"], resolution: ["1K"] },
      { aspect_ratio: ["9:16"], resolution: ["2K"] },
    ].map((when) => ({ when })),
  ],
])("a combination that no active mapping takes is refused as %s, and nothing is charged", async (...row) => {
  const [code, request, mappings, detail = {}] = row;
  openWorld({ [String(request.model_key)]: { a: mappings.map((parts) => serviceMapping({ ...parts })) } });
  const ann = await world.person(1, 100_00);
  await expect(order(ann, "one", request)).rejects.toMatchObject({ code, detail });
  expect(await ann.balance()).toMatchObject({ amount: 100 });
});

test("a default model that is paused with all others of its type is refused as disabled", async () => {
  const service = openWorld({ [IMAGE.model_key]: { a: [serviceMapping()] } });
  const { id } = await world.adminService.createAccount("studio");
  const { api } = world.core.routes;
  service.state = paused("no_credit");
  await expect(api.submit(id, { type: "image", prompt: "a fox" })).rejects.toMatchObject({
    code: "model_disabled",
  });
});
