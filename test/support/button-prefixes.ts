import { readdirSync, readFileSync } from "node:fs";

/** The prefixes of the data of buttons, as the sources of the bot name them. */
export function buttonPrefixes(): string[] {
  const files = readdirSync("src/bot", { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(`src/bot/${file}`, "utf8").matchAll(/= (?:button|action)Data\(\s*"(\w+)"/g),
    ])
    .map(([, prefix = ""]) => prefix);
}
