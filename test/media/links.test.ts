import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINK_LIFETIME_MS, Links, readOrMakeSecret } from "../../src/media/links.js";
import fc from "../support/fast-check.js";
import { newFolder } from "../support/new-folder.js";
import { signedFile } from "../support/signed-file.js";

const NOW = Date.UTC(2026, 0, 1);
const NAME = "0123456789abcdef0123456789abcdef.webp";
const links = new Links("https://atelier.example/base", "a secret");

describe("signed links", () => {
  test("are valid for one hour", () => {
    const link = links.sign(NAME, NOW);
    expect(link).toMatch(
      /^https:\/\/atelier\.example\/base\/files\/[0-9a-f]{32}\.webp\?expires=\d+&serial=\d+&signature=/,
    );
    expect(links.judge(signedFile(link), NOW)).toBe("valid");
    expect(links.judge(signedFile(link), NOW + LINK_LIFETIME_MS - 1)).toBe("valid");
    expect(links.judge(signedFile(link), NOW + LINK_LIFETIME_MS)).toBe("expired");
    expect(links.recognise(link, NOW)).toEqual({ name: NAME, isExpired: false });
    expect(links.recognise(link, NOW + LINK_LIFETIME_MS)).toEqual({ name: NAME, isExpired: true });
    expect([links.isValidOwn(link, NOW), links.isValidOwn(link, NOW + LINK_LIFETIME_MS)]).toEqual([
      true,
      false,
    ]);
  });

  test("are valid for the full hour when created within a second", () => {
    for (const ms of [1, 500, 999]) {
      const link = links.sign(NAME, NOW + ms);
      expect(links.judge(signedFile(link), NOW + ms + LINK_LIFETIME_MS - 1)).toBe("valid");
      expect(links.judge(signedFile(link), NOW + 1000 + LINK_LIFETIME_MS)).toBe("expired");
    }
  });

  const good = signedFile(links.sign(NAME, NOW));
  test.each([
    ["an hour that reads alike", { ...good, expires: `0${good.expires}` }],
    ["no serial", { ...good, serial: "" }],
    ["no signature", { ...good, signature: "" }],
    ["a shorter signature", { ...good, signature: good.signature.slice(0, -1) }],
    ["a path in the name", { ...good, name: "../atelier.db" }],
    ["another secret", signedFile(new Links("https://atelier.example", "another").sign(NAME, NOW))],
  ])("with %s are rejected", (_name, file) => {
    expect(links.judge(file, NOW)).toBe("forged");
  });

  test("whose characters are escaped are the same addresses", () => {
    const escaped = links.sign(NAME, NOW).replace("0123", "%30%31%32%33").replace(".webp", "%2Ewebp");
    expect(links.recognise(escaped, NOW)).toEqual({ name: NAME, isExpired: false });
  });

  test.each([
    links.sign(NAME, NOW).replace(NAME, `%zz%${NAME}`),
    "https://elsewhere.example/base/files/x",
    "https://atelier.example/files/x",
    "not a link",
    "",
    links.sign(NAME, NOW).replace("https:", "http:"),
    links.sign(NAME, NOW).replace(NAME, `..%2f${NAME}`),
  ])("%s does not belong to this service", (link) => {
    expect(links.recognise(link, NOW)).toBeUndefined();
  });

  test("become invalid when any character changes", () => {
    const link = links.sign(NAME, NOW);
    fc.assert(
      fc.property(fc.nat(link.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = link.slice(0, at) + character + link.slice(at + 1);
        const own = links.recognise(changed, NOW);
        // Only spellings of the very same address are recognised.
        expect(own === undefined || new URL(changed).href === link).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

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
