import { casesOf, image, LINKS } from "./case.js";

export const OPENAI = casesOf({ service: "openai" }, [
  {
    name: "gpt-image-2-5 in fast mode, in a size that 16 divides",
    body: image("gpt-image-2-5"),
    api: "generations",
    endpoint: "gpt-image-2.5-flare",
    input: { prompt: "a fox", size: "768x1360", quality: "medium", output_format: "webp" },
  },
  {
    name: "gpt-image-2-5 in quality mode, as the largest square",
    body: image("gpt-image-2-5", { generation_mode: "quality", aspect_ratio: "1:1", resolution: "4K" }),
    api: "generations",
    endpoint: "gpt-image-2.5-sunburst",
    input: { prompt: "a fox", size: "2880x2880", quality: "high", output_format: "webp" },
  },
  {
    name: "gpt-image-2-5 with photos, at their ratio",
    body: image("gpt-image-2-5", { aspect_ratio: "auto", reference_urls: LINKS }),
    api: "edits",
    endpoint: "gpt-image-2.5-flare",
    input: { prompt: "a fox", size: "auto", quality: "medium", output_format: "webp", image: [...LINKS] },
  },
]);
