import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { GrammyError, HttpError } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  openConnections,
  type TelegramConnections,
  TelegramDownloadError,
  TelegramFiles,
} from "../../../src/bot/telegram/files.js";
import { expectOutcome, FRAMINGS, readSlowly, startHostileHost } from "../../support/hostile-host.js";
import { TOKEN } from "../../support/service.js";

let server: Server;
let connections: TelegramConnections;
let answer: RequestListener;
let origin: string;

beforeEach(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  connections = openConnections();
});
afterEach(async () => {
  await connections.close();
  server.closeAllConnections();
  server.close();
});

const PATH = `/file/bot${TOKEN}/photos/a.jpg`;

async function download(limits: { timeoutMs?: number; bytesMax?: number } = {}): Promise<Buffer> {
  const stream = await connections.download({
    origin,
    path: PATH,
    timeoutMs: 10_000,
    bytesMax: 100,
    ...limits,
  });
  return buffer(stream);
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
  test("is read completely", async () => {
    answer = (request, response) => response.end(`at ${request.url}`);
    expect((await download()).toString()).toBe(`at ${PATH}`);
  });

  test.each([
    [404, "gone"],
    [400, "gone"],
    [302, "gone"],
    [502, "unreachable"],
  ])("answered by %i is %s", async (status, fault) => {
    answer = (_request, response) => response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
    expect(await failureOf(download())).toMatchObject({ name: "DownloadError", fault });
  });

  test("that declares too large a size is not read", async () => {
    answer = (_request, response) => response.writeHead(200, { "content-length": 101 }).flushHeaders();
    expect(await failureOf(download())).toMatchObject({ fault: "too_large" });
  });

  test("that exceeds the limit without declaring it is cut off", async () => {
    answer = (_request, response) => {
      response.write(Buffer.alloc(60));
      response.write(Buffer.alloc(60));
    };
    expect(await failureOf(download())).toMatchObject({ fault: "too_large" });
  });

  test.each([
    ["before its first byte", () => {}],
    ["in its middle", (response: Parameters<RequestListener>[1]) => void response.write("a")],
  ])("that stops %s ends at its deadline", async (_where, begin) => {
    answer = (_request, response) => begin(response);
    expect(await failureOf(download({ timeoutMs: 30 }))).toMatchObject({ fault: "unreachable" });
  });

  test("that nobody reads leaves no open connection", async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.on("close", resolve);
        response.write("a");
      };
    });
    const stream = await connections.download({ origin, path: PATH, timeoutMs: 10_000, bytesMax: 100 });
    stream.destroy();
    await closed;
  });

  test("whose connection breaks is unreachable", async () => {
    answer = (_request, response) => {
      response.writeHead(200, { "content-length": 50 }).write("a");
      response.socket?.destroy();
    };
    expect(await failureOf(download())).toMatchObject({ fault: "unreachable" });
  });
});

describe("a file by its id", () => {
  const filesWith = (getFile: () => Promise<{ file_path?: string }>) =>
    new TelegramFiles({ getFile: getFile as never }, connections, origin, TOKEN, false);
  const refusal = (code: number, description: string) => () =>
    Promise.reject(new GrammyError("failed", { ok: false, error_code: code, description }, "getFile", {}));

  test("is read only from the address that Telegram gives", async () => {
    answer = (request, response) => response.end(request.url);
    const stream = await filesWith(async () => ({ file_path: "photos/../a b?.jpg" })).open("F");
    expect((await buffer(stream)).toString()).toBe(`/file/bot${TOKEN}/photos/../a%20b%3F.jpg`);
  });

  test.each([
    ["too_large", refusal(400, "Bad Request: file is too big")],
    ["gone", refusal(400, "Bad Request: invalid file_id")],
    ["unreachable", refusal(500, "Internal Server Error")],
    ["gone", async () => ({})],
    ["unreachable", () => Promise.reject(new HttpError("network", new Error(`no way to ${PATH}`)))],
  ])("is %s where Telegram says so", async (fault, getFile) => {
    const error = await failureOf(filesWith(getFile).open("F"));
    expect(error).toBeInstanceOf(TelegramDownloadError);
    expect(error).toMatchObject({ fault });
  });
});

describe("a file server that ends its connection before a slow reader has read", () => {
  test.each(Object.entries(FRAMINGS))("with %s", async (_name, framing) => {
    const host = await startHostileHost(framing);
    const file = { origin: `http://127.0.0.1:${host.port}`, path: PATH, timeoutMs: 10_000, bytesMax: 1e6 };
    const stream = await connections.download(file);
    await host.sent();
    await expectOutcome(framing, readSlowly(stream), { fault: "unreachable" });
  });
});
