import type { FastifyInstance } from "fastify";

/** Knows the methods of each path, to tell 405 from 404. */
export class RouteMethods {
  /** Route pattern → methods in order of registration. */
  readonly #routes = new Map<string, { path: RegExp; methods: string[] }>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#routes.get(url) ?? { path: patternOf(url), methods: [] };
      this.#routes.set(url, known);
      known.methods.push(...[method].flat());
    });
  }

  /** Returns the methods for the `Allow` header; undefined for an unknown path. */
  allowed(url: string): string | undefined {
    const path = url.split("?", 1)[0] ?? "";
    for (const route of this.#routes.values()) if (route.path.test(path)) return route.methods.join(", ");
    return undefined;
  }
}

/** Builds a pattern: a parameter matches one segment, a star the rest of the path. */
function patternOf(url: string): RegExp {
  const pieces = url.split("/").map((piece) => {
    if (piece === "*") return ".*";
    return piece.startsWith(":") ? "[^/]+" : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${pieces.join("/")}$`);
}
