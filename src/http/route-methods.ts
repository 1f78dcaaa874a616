import type { FastifyInstance } from "fastify";

/** Knows which methods each path of a server takes, so that a wrong one is told from an unknown path. */
export class RouteMethods {
  /** Route pattern → its methods, in the order of their registration. */
  readonly #routes = new Map<string, { path: RegExp; methods: string[] }>();

  /** Learns every route that is registered from now on. */
  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#routes.get(url) ?? { path: patternOf(url), methods: [] };
      this.#routes.set(url, known);
      known.methods.push(...[method].flat());
    });
  }

  /** The methods of a path, as the header `Allow` lists them; undefined for an unknown path. */
  allowed(url: string): string | undefined {
    const path = url.split("?", 1)[0] ?? "";
    for (const route of this.#routes.values()) if (route.path.test(path)) return route.methods.join(", ");
    return undefined;
  }
}

/** A parameter stands for one piece of a path, a star for the rest of it. */
function patternOf(url: string): RegExp {
  const pieces = url.split("/").map((piece) => {
    if (piece === "*") return ".*";
    return piece.startsWith(":") ? "[^/]+" : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${pieces.join("/")}$`);
}
