const load = (name: string) => import(new URL(`../../../dist/${name}.js`, import.meta.url).href);

/** The service as it is built. A package imports nothing of `src`, so only types are taken from there. */
export const { createApp }: typeof import("../../../src/app.js") = await load("app");
export const { ConfigError, readConfig }: typeof import("../../../src/config.js") = await load("config");
