import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  FILE_BYTES_MAX,
  openLocalFile,
  type TelegramDownload,
  TelegramFiles,
} from "../../../src/bot/telegram/files.js";
import { TOKEN } from "../../support/service.js";

function folder() {
  const directory = join(mkdtempSync(join(tmpdir(), "atelier-local-")), TOKEN);
  mkdirSync(directory);
  const put = (name: string, content: string | Buffer = "picture") => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  return { directory, put };
}

/** Opens a file whose getFile tells `path`; what is asked by HTTP is recorded. */
function open(path: string, isLocal = true) {
  const asked: TelegramDownload[] = [];
  const download = async (file: TelegramDownload) => {
    asked.push(file);
    return Readable.from([Buffer.from("by HTTP")]);
  };
  const files = new TelegramFiles(
    { getFile: (async () => ({ file_path: path })) as never },
    { download },
    "http://127.0.0.1:8081/base",
    TOKEN,
    isLocal,
  );
  return { asked, read: async () => (await buffer(await files.open("F"))).toString() };
}

test("one that this process cannot read is fetched from the server, below the bot's folder", async () => {
  const { asked, read } = open(`/elsewhere/${TOKEN}/photos/a b.jpg`);
  expect(await read()).toBe("by HTTP");
  const path = `/base/file/bot${TOKEN}/photos/a%20b.jpg`;
  expect(asked).toMatchObject([{ origin: "http://127.0.0.1:8081", path, bytesMax: FILE_BYTES_MAX }]);
});

test("a server that is not in local mode opens no file of this machine", async () => {
  const { asked, read } = open(folder().put("a.jpg"), false);
  expect([await read(), asked.length]).toEqual(["by HTTP", 1]);
});

test.each([
  ["a relative path", ({ put }: ReturnType<typeof folder>) => put("a.jpg").slice(1)],
  ["a path with steps up", ({ directory, put }) => `${directory}/x/../${put("a.jpg").split("/").at(-1)}`],
  ["a path that is no name", ({ directory }) => `${directory}/a\0.jpg`],
  [
    "a link to another file",
    ({ directory, put }) => {
      symlinkSync(put("secret"), join(directory, "link.jpg"));
      return join(directory, "link.jpg");
    },
  ],
] as [string, (of: ReturnType<typeof folder>) => string][])("%s is not opened", async (_what, pathIn) => {
  expect(await openLocalFile(pathIn(folder()), 100)).toBeUndefined();
});

test("a folder is no file, and a pipe that nobody writes keeps nobody waiting", async () => {
  const { directory } = folder();
  const pipe = join(directory, "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  for (const path of [directory, pipe])
    await expect(openLocalFile(path, 100)).rejects.toMatchObject({ fault: "gone" });
});

test("a file over the limit is refused before it is read, and one that grows while it is read", async () => {
  const { put } = folder();
  await expect(openLocalFile(put("big", "x".repeat(101)), 100)).rejects.toMatchObject({ fault: "too_large" });
  const path = put("growing", "x".repeat(100));
  const stream = await openLocalFile(path, 100);
  put("growing", "x".repeat(101));
  await expect(buffer(stream as Readable)).rejects.toMatchObject({ fault: "too_large" });
});
