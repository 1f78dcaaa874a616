import { expect, test } from "vitest";
import type { AccountKeys, ApiKey } from "../../../src/ports/keys.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");
const SECRET = "gk_secret";

function accountKeys(): AccountKeys {
  const living: ApiKey[] = [];
  return {
    async create(_user, name) {
      const id = living.length + 1;
      const info = { id, prefix: `gk_${id}`, name, createdAt: 0, lastUsedAt: null, revokedAt: null };
      living.push(info);
      return { info, key: SECRET };
    },
    living: async () => [...living],
    async revoke(_user, id) {
      const index = living.findIndex((key) => key.id === id);
      return index >= 0 && living.splice(index, 1).length > 0;
    },
  };
}

test("a new key is shown once, in a message that is deleted later", async () => {
  const { say, tap, buttons, said, clock, calls } = openBotHarness({ keys: accountKeys() });
  await say("/keys");
  await tap(buttons().get(t("button-new-key")) ?? "");
  expect(said().filter((text) => String(text).includes(SECRET))).toHaveLength(1);
  await clock.advance(5 * 60_000);
  expect(calls.map(({ method }) => method)).toContain("deleteMessage");
});

test("a second tap on the same list creates no second key", async () => {
  const keys = accountKeys();
  const { say, tap, buttons } = openBotHarness({ keys });
  await say("/keys");
  const create = buttons().get(t("button-new-key")) ?? "";
  await tap(create);
  await tap(create);
  expect(await keys.living(ANN as never)).toHaveLength(1);
});

test("a key is revoked after a confirmation", async () => {
  const keys = accountKeys();
  await keys.create(ANN as never, null);
  const { say, tap, buttons, answered } = openBotHarness({ keys });
  await say("/keys");
  await tap(buttons().get("🗑 gk_1…") ?? "");
  await tap(buttons().get(t("button-revoke-key")) ?? "");
  expect(await keys.living(ANN as never)).toEqual([]);
  expect(answered().at(-1)).toBe(t("key-revoked"));
});

test("the command does not exist where keys are managed elsewhere", async () => {
  const { say, said } = openBotHarness();
  await say("/keys");
  expect(said()).toEqual([t("unknown-command", { atBot: "" })]);
});
