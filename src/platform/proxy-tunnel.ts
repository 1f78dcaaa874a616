import { type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import type { Duplex } from "node:stream";

/** Opens a connection to `host:port` through an HTTP proxy, with the name and password of its address. */
export function openTunnel(proxy: URL, target: string, signal: AbortSignal): Promise<Duplex> {
  const send = proxy.protocol === "https:" ? requestTls : requestPlain;
  const options: RequestOptions = {
    method: "CONNECT",
    path: target,
    headers: { host: target, ...credentials(proxy) },
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = send(new URL(proxy.origin), options);
    request.on("error", reject);
    request.once("close", () => reject(new Error("the proxy closed the connection")));
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      // The owner of the connection sees its end.
      socket.on("error", () => {});
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(new Error(`the proxy answered ${statusCode} to CONNECT`));
    });
    request.end();
  });
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
