import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/platform/guarded-fetch.js";

describe("isPublicAddress", () => {
  it.each([
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.0",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2606:4700::1111",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "2001:0:a00:1::",
    "100::1",
    "fd00::1",
    "2606:4700::1111%eth0",
    "192.88.99.1",
    "192.175.48.1",
    "240.0.0.1",
    "255.255.255.255",
    "2001:2::1",
    "2001:20::1",
    "3fff::1",
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
    "5f00::1",
    "",
    "example.com",
    "127.1",
    "[2606:4700::1111]",
  ])("%s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
