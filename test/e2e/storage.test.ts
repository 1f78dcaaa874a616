import { describe, expect, test } from "vitest";
import type { FailPoint } from "../../src/platform/fail-point.js";
import { Chatter } from "../support/chatter.js";
import { isBeforeCommit } from "../support/commit-points.js";
import { eventually } from "../support/eventually.js";
import { systemError } from "../support/fickle-disk.js";
import { BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;

const chatter = (id: number) => new Chatter(service.sandbox.person(id));

describe("without free storage", () => {
  test("an order that cannot be written is refused in plain words, charges nothing, and can be paid later", async () => {
    let isFull = false;
    const failPoint: FailPoint = (name) => {
      if (isFull && isBeforeCommit(name, "job:accept")) throw systemError("SQLITE_FULL");
    };
    service = await startTestService({ overrides: { failPoint } });
    const boris = chatter(BORIS.id);
    boris.say("сарай");
    await boris.seeButton("✅");
    isFull = true;
    expect((await (await boris.press("✅")).answered()).text).toContain(
      "нет места для новых файлов, поэтому ничего не списано",
    );
    expect(service.balanceOf(BORIS.id)).toBe(100);
    isFull = false;
    // Orders are taken again when a probe of the disk has succeeded.
    await eventually("the disk", async () => (await fetch(`${service.httpAddress}/readyz`)).status === 200);
    await boris.press("✅");
    await boris.see(({ photo }) => photo !== undefined);
    expect(service.balanceOf(BORIS.id)).toBe(90);
  });

  test("a person whose first message cannot be written is told so in their language", async () => {
    let isFull = true;
    const failPoint: FailPoint = (name) => {
      if (isFull && /^commit:before:.*(person|account)/.test(name)) throw systemError("SQLITE_FULL");
    };
    service = await startTestService({ overrides: { failPoint } });
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Попробуйте ещё раз");
    isFull = false;
    boris.say("/start");
    await boris.see("100\u00a0₽");
  });
});
