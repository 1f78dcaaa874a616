import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "../../../test/support/new-folder.js";
import { createSandbox } from "../src/index.js";

test("foreign host names, foreign pages and files outside of the page are rejected", async () => {
  const directory = newFolder();
  writeFileSync(join(directory, "index.html"), "<!doctype html>");
  const sandbox = await createSandbox({ pageDirectory: directory });
  onTestFinished(() => sandbox.close());
  const status = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${sandbox.url}${path}`, { headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
  expect(await status("/", { host: "evil.example" })).toBe(403);
  expect(await status("/chat/state", { origin: "http://evil.example" })).toBe(403);
  expect(await status("/", {})).toBe(200);
  expect(await status("/../../package.json", {})).toBe(404);
  expect(await status("/..%2f..%2fpackage.json", {})).toBe(404);
  expect(await status("/%00.html", {})).toBe(404);
  const page = await fetch(sandbox.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
});
