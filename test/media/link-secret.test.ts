import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOrMakeSecret } from "../../src/media/links.js";
import { newFolder } from "../support/new-folder.js";

describe("the link secret", () => {
  test("is created once, readable by its owner only, and permanent", () => {
    const folder = join(newFolder(), "data");
    const file = join(folder, "link-secret");
    const secret = readOrMakeSecret(file);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readOrMakeSecret(file)).toBe(secret);
    expect(readdirSync(folder)).toEqual(["link-secret"]);
  });

  test("that is too short is rejected", () => {
    const file = join(newFolder(), "link-secret");
    writeFileSync(file, "short\n");
    expect(() => readOrMakeSecret(file)).toThrow("holds no secret");
  });
});
