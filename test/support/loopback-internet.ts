import type { GuardedFetchOptions } from "../../src/platform/guarded-fetch.js";
import { TEST_CERTIFICATE } from "./https-certificate.js";

/** The internet of a test: every name is this machine, and 127.0.0.1 its only public address. */
export const LOOPBACK_INTERNET = {
  resolveName: async () => ["127.0.0.1"],
  isAllowedAddress: (address) => address === "127.0.0.1",
  certificate: TEST_CERTIFICATE,
} satisfies Partial<GuardedFetchOptions>;
