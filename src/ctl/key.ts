import type { Command } from "commander";
import type { ApiKey } from "../ports/keys.js";
import type { Context } from "./context.js";
import { table } from "./text.js";
import { isoTime, readId } from "./values.js";

export function keyCommands(program: Command, context: Context): void {
  const key = program.command("key").description("the API keys of accounts");

  key
    .command("create <ACCOUNT_ID>")
    .description("make a key; it is shown this once and never again")
    .option("--name <N>", "what the key is called")
    .action(async (accountId: string, { name }: { name?: string }) => {
      const made = await context.withAdminService((service) =>
        service.createKey(readId(accountId), name?.trim() || null),
      );
      context.answer({ json: { key_id: made.info.id, key: made.key }, text: made.key });
    });

  key
    .command("list <ACCOUNT_ID>")
    .description("every key of an account, oldest first, the revoked ones too")
    .action(async (accountId: string) => {
      const found = await context.withAdminService((service) => service.keys(readId(accountId)));
      context.answer({ json: found.map(keyJson), text: keysText(found) });
    });

  key
    .command("revoke <KEY_ID>")
    .description("end a key, from the next request on")
    .action(async (keyId: string) => {
      const id = readId(keyId, "a key");
      const revoked_at = isoTime(await context.withAdminService((service) => service.revokeKey(id)));
      context.answer({ json: { key_id: id, revoked_at }, text: `key ${id} revoked at ${revoked_at}` });
    });
}

function keyJson({ id, prefix, name, createdAt, lastUsedAt, revokedAt }: ApiKey) {
  return {
    key_id: id,
    prefix,
    name,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    revoked_at: revokedAt === null ? null : isoTime(revokedAt),
  };
}

function keysText(keys: readonly ApiKey[]): string {
  const rows = keys
    .map(keyJson)
    .map((shown) => [
      shown.key_id,
      shown.prefix,
      shown.name,
      shown.created_at,
      shown.last_used_at,
      shown.revoked_at,
    ]);
  return table(["key", "prefix", "name", "created", "last used", "revoked"], rows);
}
