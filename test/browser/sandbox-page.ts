import { createSandbox, type Sandbox, type SandboxOptions } from "@atelier/telegram-sandbox";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

/** The chat page over a sandbox without a bot: the test itself is what answers. */
export class SandboxPage {
  private constructor(
    public sandbox: Sandbox,
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly options: SandboxOptions,
  ) {}

  static async begin(
    browser: Browser,
    viewport = { width: 1440, height: 900 },
    options: SandboxOptions = {},
  ): Promise<SandboxPage> {
    const sandbox = await createSandbox(options);
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${sandbox.url}/#panes=3`);
    await page.locator("html[data-ready]").waitFor();
    return new SandboxPage(sandbox, context, page, options);
  }

  async end(): Promise<void> {
    await this.context.close();
    await this.sandbox.close();
  }

  /** The sandbox ends and another one begins at the same address, with nothing of the first. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.sandbox.url).port);
    await this.sandbox.close();
    this.sandbox = await createSandbox({ ...this.options, port });
  }

  pane(person: number): Locator {
    return this.page.locator(`[data-person="${person}"]`);
  }

  /** A chat as a person sees it: the private one unless said otherwise. */
  chat(person: number, chat = person): Locator {
    return this.page.locator(`[data-person="${person}"] [data-chat="${chat}"]`);
  }

  /** Sends the first message by the button. */
  async start(person: number): Promise<void> {
    await this.pane(person).getByTestId("start").click();
    await this.chat(person).getByTestId("message").getByText("/start").waitFor();
  }

  async openGroup(person: number): Promise<void> {
    await this.pane(person).locator('[data-tab="group"]').click();
  }

  async say(person: number, text: string): Promise<void> {
    const composer = this.pane(person).locator("textarea:visible");
    await composer.fill(text);
    await composer.press("Enter");
  }
}
