import { expect, test } from "vitest";
import { operator } from "./harness.js";

test("nobody is forgotten whom the chat never met, and a wrong id is named", async () => {
  const { failure } = operator();
  expect(await failure("person forget 7")).toBe("no account of person 7");
  expect(await failure("person forget @ann")).toBe('"@ann" is not the number of a person');
});
