import { expect, test } from "vitest";
import { openCheck } from "../harness.js";

test.each(["polza", "fal"])("show %s", async (service) => {
  const { check } = await openCheck();
  const r = await check(`${service} --catalogue`);
  console.log(r.text, r.code);
  expect(1).toBe(1);
});
