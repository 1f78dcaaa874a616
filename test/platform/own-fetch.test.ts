import { expect, test } from "vitest";
import "../../src/platform/outgoing-agent.js";
import { Agent, getGlobalDispatcher } from "undici";

test("the global fetch stays Node's own where undici is imported", () => {
  expect(getGlobalDispatcher()).not.toBeInstanceOf(Agent);
});
