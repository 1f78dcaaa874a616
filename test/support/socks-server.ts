import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { eventually } from "./eventually.js";
import { freePort } from "./free-port.js";
import { newFolder } from "./new-folder.js";

export interface SocksServer {
  /** With the user and the password that it wants. */
  url: string;
  port: number;
  kill(): Promise<void>;
}

const PASSWORD = "pass word";

/**
 * Debian's `microsocks`, ended with the test.
 * @param hosts names that only this server can resolve, as lines of /etc/hosts; needs root
 */
export async function startSocksServer({ hosts }: { hosts?: string } = {}): Promise<SocksServer> {
  const port = await freePort();
  const server = ["microsocks", "-i", "127.0.0.1", "-p", `${port}`, "-u", "user", "-P", PASSWORD];
  const child =
    hosts === undefined
      ? run(server)
      : run([
          "unshare",
          "--mount",
          "sh",
          "-c",
          `mount --bind ${fileOf(hosts)} /etc/hosts && exec "$@"`,
          "sh",
          ...server,
        ]);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(kill);
  await eventually("the SOCKS server listens", () => answers(port));
  return { url: `socks5://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`, port, kill };
}

function run([command = "", ...args]: readonly string[]): ChildProcess {
  return spawn(command, args, { stdio: "ignore" });
}

function fileOf(hosts: string): string {
  const file = join(newFolder(), "hosts");
  writeFileSync(file, hosts);
  return file;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
