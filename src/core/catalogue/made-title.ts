import type { Route } from "../../routes/route.js";

/** The title of a model, with the versions that the routes make in its place. */
export function madeTitle(title: string, routes: readonly Pick<Route, "substitute">[]): string {
  const versions = new Set(routes.flatMap(({ substitute }) => substitute ?? []));
  return versions.size === 0 ? title : `${title} (${[...versions].join(", ")})`;
}
