import type { Json } from "./json.js";

const TITLE_MAX = 80;

/** Writes a value in one of the forms of `as`. Undefined where it has no such form. */
export function formatted(value: Json, form: string): Json | undefined {
  if (typeof value === "object") return undefined;
  if (form.includes("{}")) return form.replaceAll("{}", () => String(value));
  switch (form) {
    case "string":
      return String(value);
    case "words":
      return String(value).replaceAll("_", " ");
    case "title":
      return titleOf(String(value));
    case "number":
      return finite(value);
    case "ms": {
      const seconds = finite(value);
      return seconds === undefined ? undefined : Math.round(seconds * 1000);
    }
  }
  return undefined;
}

function finite(value: string | number | boolean): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns the first line that is no mark of a song's part such as `[Chorus]`. */
function titleOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const line = lines.find((candidate) => candidate !== "" && !/^\[.*\]$/.test(candidate));
  const title = line ?? lines.find((candidate) => candidate !== "");
  return title === undefined ? undefined : [...title].slice(0, TITLE_MAX).join("").trimEnd();
}
