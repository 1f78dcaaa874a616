import { describe, expect, it } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { type IsOwnLink, judgeReference } from "../../../src/jobs/read-request.js";

function verdict(link: string, isOwnLink: IsOwnLink = () => false): string {
  try {
    judgeReference({ text: link, param: "reference_urls" }, isOwnLink);
    return "taken";
  } catch (error) {
    if (error instanceof ContractError) return error.code;
    throw error;
  }
}

describe("a reference link", () => {
  it.each([
    "https://example.com/a.png",
    " HTTPS://Example.COM/a%20b.png?x=1&y=/2 ",
    "https://example.com:8443/a.png",
    "https://example.com./a.png",
    "https://пример.рф/a.png",
    "https://8.8.8.8/a.png",
    "https://[2606:4700::1111]/a.png",
    "https://localhost.example.com/a.png",
    "https://mylocal.org/a.png",
  ])("%s is accepted", (link) => {
    expect(verdict(link)).toBe("taken");
  });

  it.each([
    "a.png",
    "/etc/passwd",
    "example.com/a.png",
    "AgACAgIAAxkBAAIB",
    "https://",
    "https://1.2.3.4.5/",
    "https:example.com/a.png",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://a..example.com/",
    "https://127.0.0.1:443@example.com/",
    "https://127.0.0.1%00.example.com/",
    "https://[fe80::1%25eth0]/",
    "https://[::1]./",
    `https://example.com/${"a".repeat(9000)}`,
  ])("%s is malformed", (link) => {
    expect(verdict(link)).toBe("bad_reference_url");
  });

  it.each([
    "http://example.com/a.png",
    "file:///etc/passwd",
    "data:image/png;base64,iVBORw0KGgo=",
    "javascript:alert(1)",
  ])("%s is not HTTPS", (link) => {
    expect(verdict(link)).toBe("reference_url_must_be_https");
  });

  it.each([
    // names
    "localhost",
    "localhost.",
    "localhost%2e",
    "ｌｏｃａｌｈｏｓｔ",
    "a.localhost",
    "printer",
    "printer.local",
    "db.prod.internal",
    "metadata.google.internal.",
    "mappingr.home.arpa",
    "box.localdomain",
    // IPv4 in every notation
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "%31%32%37.0.0.1",
    "\u00ad127.0.0.1",
    "127.0.0.1:8443",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    // IPv6, and IPv4 inside it
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b:1::1]",
    "[2002:808:808::]",
    "[2001:db8::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[4000::1]",
  ])("https://%s/ is not allowed", (host) => {
    expect(verdict(`https://${host}/a.png`)).toBe("reference_url_not_allowed");
  });

  it("is returned unchanged, and reading it again gives the same", () => {
    const judge = (text: string) => judgeReference({ text, param: "reference_urls" }, () => false);
    const judged = judge("https://EXAMPLE.com\\a b.png");
    expect(judged).toBe("https://example.com/a%20b.png");
    expect(judge(judged)).toBe(judged);
  });

  it("to this service is recognised before its scheme and address are checked", () => {
    const own = "http://127.0.0.1:8080/files/abc?signature=1";
    expect(verdict(own)).toBe("reference_url_must_be_https");
    expect(verdict(own, (url) => url === own)).toBe("taken");
    expect(verdict("not a link", () => true)).toBe("bad_reference_url");
  });
});
