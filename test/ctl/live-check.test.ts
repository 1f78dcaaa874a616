import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUpstreams } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { newFolder } from "../support/new-folder.js";
import { operator } from "./harness.js";

type Nodes = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

/** A command line beside a ComfyUI that has the files of the shipped models. */
async function openOperator({ change = (_nodes: Nodes): void => {}, entry = {}, input = {} } = {}) {
  const stand = await createUpstreams();
  onTestFinished(() => stand.close());
  const folder = newFolder();
  mkdirSync(join(folder, "workflows"));
  const nodes: Nodes = JSON.parse(readFileSync("data/workflows/z-image-turbo.json", "utf8"));
  change(nodes);
  writeFileSync(join(folder, "workflows", "mine.json"), JSON.stringify(nodes));
  const file = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
  const mine = file.models.find(({ model_key }: { model_key: string }) => model_key === "z-image-turbo");
  Object.assign(mine, entry);
  const [own] = mine.mappings.comfyui;
  mine.mappings = { comfyui: [{ ...own, endpoint: "mine.json", input: { ...own.input, ...input } }] };
  const catalogueFile = join(folder, "catalogue.json");
  writeFileSync(catalogueFile, JSON.stringify(file));
  return operator({ catalogueFile, comfyuiRoot: stand.url });
}

test("a ComfyUI that has everything is named, and warnings stay warnings", async () => {
  const { ctl, json } = await openOperator();
  const { code, out } = await ctl("catalogue check --live");
  expect(code).toBe(0);
  expect(out).toMatch(/^ComfyUI at http:\S+ has all that these need: flux-2-pro, z-image-turbo\.$/m);
  expect(await json("catalogue check --live")).toEqual({
    models: 19,
    warnings: expect.arrayContaining(["kling-4: kie: duration_sec 30 has no mapping"]),
  });
});

test("what it lacks is named, one line each, without the warnings of others", async () => {
  const { ctl, failure } = await openOperator({
    change: (nodes) => {
      for (const { class_type, inputs } of Object.values(nodes)) {
        if (class_type === "VAELoader") inputs.vae_name = "absent.safetensors";
        if (class_type === "KSampler") inputs.scheduler = "absent";
      }
      nodes["99"] = { class_type: "TextOverlay", inputs: {} };
    },
  });
  const { code, out, err } = await ctl("catalogue check --live z-image-turbo");
  expect([code, out]).toEqual([1, ""]);
  const [head, ...lines] = err.trim().split("\n");
  expect(head).toMatch(/^ctl: ComfyUI at http:\S+ does not have all that these need: z-image-turbo$/);
  expect(lines.map((line) => line.replace(/node \d+ \(/, "node N ("))).toEqual([
    '- z-image-turbo: mine.json: node N (VAELoader): vae_name: there is no "absent.safetensors", only ae.safetensors, flux2-vae.safetensors',
    '- z-image-turbo: mine.json: node N (KSampler): scheduler: there is no "absent", only simple, normal, karras, beta',
    "- z-image-turbo: mine.json: there is no node TextOverlay (node 99)",
  ]);
  expect(await failure("catalogue check --live")).toContain("vae_name: there is no");
});

test("values that a mapping gives are looked at, and places that ComfyUI drops", async () => {
  const { failure } = await openOperator({
    change: (nodes) => Object.assign(nodes["8"]?.inputs ?? {}, { control: "fixed" }),
    input: {
      "8.sampler_name": { from: "resolution", map: { "1K": "euler", "2K": "absent" } },
      "8.control": 1,
    },
  });
  const told = await failure("catalogue check --live z-image-turbo");
  expect(told).toContain("node 8 (KSampler) has no input control");
  expect(told).toContain('node 8 (KSampler): sampler_name: there is no "absent"');
});

test("a model that is switched off is asked about only by its name", async () => {
  const change = (nodes: Nodes) => {
    nodes["99"] = { class_type: "TextOverlay", inputs: {} };
  };
  const { json, failure } = await openOperator({ change, entry: { status: "disabled", default: false } });
  expect(await json("catalogue check --live")).toMatchObject({ models: 18 });
  expect(await failure("catalogue check --live z-image-turbo")).toContain("TextOverlay");
});

test("a ComfyUI that cannot be reached is told in one line, as is something else at its place", async () => {
  expect(await operator().failure("catalogue check --live")).toMatch(
    /^ComfyUI cannot be asked at http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED [^\n]*$/,
  );
  const { origin: comfyuiRoot } = await startHttpServer((_request, response) => response.end("<html>"));
  expect(await operator({ comfyuiRoot }).failure("catalogue check --live")).toBe(
    `${comfyuiRoot}/object_info answers 200, and not as ComfyUI does`,
  );
  expect((await operator().ctl("catalogue check --live kling-4")).out).toMatch(/^ComfyUI was not asked: /);
});

test("warnings of one model, and a model that is not there", async () => {
  const { json, failure } = operator();
  const told = (await json("catalogue check --model kling-4")) as { warnings: string[] };
  expect(told.warnings.length).toBeGreaterThan(0);
  expect(told.warnings.every((warning) => warning.startsWith("kling-4: "))).toBe(true);
  expect(await failure("catalogue check --model fox")).toBe('the catalogue has no model "fox"');
});
