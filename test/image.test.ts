import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const contents = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const optionsOf = (words: readonly string[]) => words.filter((word) => word.startsWith("--"));

test("the image starts the service with the options of node that `npm start` gives it", () => {
  const { scripts } = z
    .object({ scripts: z.object({ start: z.string() }) })
    .parse(JSON.parse(contents("package.json")));
  const [, command = ""] = contents("Dockerfile").match(/^CMD (.+)$/m) ?? [];
  const inImage = optionsOf(z.array(z.string()).parse(JSON.parse(command)));
  expect(inImage).not.toEqual([]);
  expect(inImage).toEqual(optionsOf(scripts.start.split(" ")));
});
