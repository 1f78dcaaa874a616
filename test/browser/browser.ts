import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** A browser to look at the demo with, for the tests of one file: it is there once they begin. */
export function openBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      // Tests run as root, and without any network beyond this machine.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });
  afterAll(() => browser.close());
  return () => browser;
}
