/** Tests take the packages of `packages/` as sources, and need no build of them. */
export const PACKAGE_SOURCES = ["@atelier/source", "module", "node", "development|production"];
