import { createServer, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { HttpError } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import { openConnections, TelegramDownloadError, TelegramFiles } from "../../../src/bot/telegram/files.js";
import { refusal } from "../../support/bot-world.js";
import { expectOutcome, FRAMINGS, readSlowly, startHostileHost } from "../../support/hostile-host.js";
import { listen } from "../../support/listen.js";
import { TOKEN } from "../../support/service.js";

const PATH = `/file/bot${TOKEN}/photos/a.jpg`;

function openDownloads(origin: string) {
  const connections = openConnections();
  onTestFinished(() => connections.close());
  const begin = (limits: { timeoutMs?: number; bytesMax?: number } = {}) =>
    connections.download({ origin, path: PATH, timeoutMs: 10_000, bytesMax: 100, ...limits });
  return {
    begin,
    download: async (limits?: Parameters<typeof begin>[0]) => buffer(await begin(limits)),
    connections,
  };
}

/** Downloads from a server that answers so. */
async function serve(answer: RequestListener) {
  const origin = `http://127.0.0.1:${await listen(createServer(answer))}`;
  return { origin, ...openDownloads(origin) };
}

/** The error of a download, which must not show where the file lies. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const { message = "", stack = "", cause } = error as Error;
  expect(`${message} ${stack} ${String(cause)}`).not.toContain(TOKEN);
  return error;
}

describe("a Telegram file", () => {
  test.each([
    [404, "gone"],
    [400, "gone"],
    [302, "gone"],
    [502, "unreachable"],
  ])("answered by %i is %s", async (status, fault) => {
    const headers = { location: "http://127.0.0.1:1/" };
    const { download } = await serve((_request, response) => response.writeHead(status, headers).end());
    expect(await failureOf(download())).toMatchObject({ name: "DownloadError", fault });
  });

  test("that declares too large a size is not read", async () => {
    const { download } = await serve((_request, response) =>
      response.writeHead(200, { "content-length": 101 }).flushHeaders(),
    );
    expect(await failureOf(download())).toMatchObject({ fault: "too_large" });
  });

  test("that exceeds the limit without declaring it is cut off", async () => {
    const { download } = await serve((_request, response) => {
      response.write(Buffer.alloc(60));
      response.write(Buffer.alloc(60));
    });
    expect(await failureOf(download())).toMatchObject({ fault: "too_large" });
  });

  test.each([
    ["before its first byte", () => {}],
    ["in its middle", (response: Parameters<RequestListener>[1]) => void response.write("a")],
  ])("that stops %s ends at its deadline", async (_where, begin) => {
    const { download } = await serve((_request, response) => begin(response));
    expect(await failureOf(download({ timeoutMs: 30 }))).toMatchObject({ fault: "unreachable" });
  });

  test("that nobody reads leaves no open connection", async () => {
    const closed = Promise.withResolvers<void>();
    const { begin } = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.write("a");
    });
    (await begin()).destroy();
    await closed.promise;
  });
});

describe("a file by its id", () => {
  const filesWith = async (getFile: () => Promise<{ file_path?: string }>) => {
    const { connections, origin } = await serve((request, response) => response.end(request.url));
    return new TelegramFiles({ getFile: getFile as never }, connections, origin, TOKEN, false);
  };
  const refused = (code: number, description: string) => () => Promise.reject(refusal(code, description));

  test("is read only from the address that Telegram gives", async () => {
    const files = await filesWith(async () => ({ file_path: "photos/../a b?.jpg" }));
    const stream = await files.open("F");
    expect((await buffer(stream)).toString()).toBe(`/file/bot${TOKEN}/photos/../a%20b%3F.jpg`);
  });

  test.each([
    ["too_large", refused(400, "Bad Request: file is too big")],
    ["gone", refused(400, "Bad Request: invalid file_id")],
    ["unreachable", refused(500, "Internal Server Error")],
    ["gone", async () => ({})],
    ["unreachable", () => Promise.reject(new HttpError("network", new Error(`no way to ${PATH}`)))],
  ])("is %s where Telegram says so", async (fault, getFile) => {
    const error = await failureOf((await filesWith(getFile)).open("F"));
    expect(error).toBeInstanceOf(TelegramDownloadError);
    expect(error).toMatchObject({ fault });
  });
});

test.each(Object.entries(FRAMINGS))(
  "a file server that ends its connection before a slow reader has read with %s",
  async (_name, framing) => {
    const host = await startHostileHost(framing);
    const stream = await openDownloads(`http://127.0.0.1:${host.port}`).begin({ bytesMax: 1e6 });
    await host.sent();
    await expectOutcome(framing, readSlowly(stream), { fault: "unreachable" });
  },
);
