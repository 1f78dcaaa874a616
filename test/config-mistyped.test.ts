import { expect, test } from "vitest";
import { ENVIRONMENT, mistypedVariables } from "../src/config.js";

test.each([
  ["ADMIN_ID", "ADMIN_IDS"],
  ["BOT_TOKE", "BOT_TOKEN"],
  ["BOT_TOKEN_FLIE", "BOT_TOKEN_FILE"],
  ["bot_token", "BOT_TOKEN"],
  ["PUBLIC_ULR", "PUBLIC_URL"],
  ["KIE_APIKEY", "KIE_API_KEY"],
])("%s is named, with %s", (given, meant) => {
  expect(mistypedVariables({ [given]: "1" })).toEqual([{ given, meant }]);
});

test("names of others, and of settings that are there, say nothing", () => {
  const others = [
    "PATH",
    "HOME",
    "HTTP_PROXY",
    "PORT",
    "HOST",
    "CORES",
    "NODE_ENV",
    "LANG",
    "npm_config_loglevel",
  ];
  const known = ENVIRONMENT.map(({ name }) => name);
  expect(mistypedVariables(Object.fromEntries([...others, ...known].map((name) => [name, "1"])))).toEqual([]);
  expect(mistypedVariables({ ADMIN_ID: "1", ADMIN_IDS: "1" })).toEqual([]);
  expect(mistypedVariables({ ADMIN_ID: "" })).toEqual([]);
});
