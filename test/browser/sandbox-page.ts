import { createSandbox, type Sandbox, type SandboxOptions } from "@atelier/telegram-sandbox";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { DESKTOP, Visit } from "./visit.js";

/** The chat page over a sandbox without a bot: the test itself is what answers. It ends with its test. */
export class SandboxPage extends Visit {
  private constructor(
    readonly sandbox: Sandbox,
    readonly context: BrowserContext,
    page: Page,
  ) {
    super(sandbox.url, page, () => context.close());
  }

  static async open(
    browser: Browser,
    viewport = DESKTOP,
    options: SandboxOptions = {},
  ): Promise<SandboxPage> {
    const sandbox = await createSandbox(options);
    const context = await browser.newContext({ viewport });
    const view = new SandboxPage(sandbox, context, await context.newPage());
    onTestFinished(async () => {
      await view.close();
      await view.sandbox.close();
    });
    view.page.setDefaultTimeout(10_000);
    return view.loaded();
  }

  /** Sends the first message by the button. */
  override async start(person: number): Promise<void> {
    await this.pane(person).getByTestId("start").click();
    await this.chat(person).getByTestId("message").getByText("/start").waitFor();
  }

  async openGroup(person: number): Promise<void> {
    await this.pane(person).locator('[data-tab="group"]').click();
  }
}
