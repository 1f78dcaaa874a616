import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { thumbnailOf } from "../../../../src/bot/orders/delivery/thumbnail.js";
import type { Gateway } from "../../../../src/ports/gateway.js";

test.each<[string, object | undefined]>([
  ["cannot be read", undefined],
  ["is no JPEG", { mime: "image/webp", size: 1000 }],
  ["is too large", { mime: "image/jpeg", size: 200_001 }],
])("a cover that %s is left out, and nothing of it stays open", async (_which, facts) => {
  let open = 0;
  const stream = async () => {
    open += 1;
    return Readable.from([]).on("close", () => {
      open -= 1;
    });
  };
  const gateway = {
    async results() {
      if (!facts) throw new Error("EIO");
      return [{ kind: "cover", index: 0, fileName: "a", ...facts, open: stream }];
    },
  } as unknown as Gateway;
  expect(await thumbnailOf(gateway, "music_1", 0)).toBeUndefined();
  expect(open).toBe(0);
});
