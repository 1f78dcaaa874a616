/** Stands for the operator's root, which is always given: there is no service by default. */
export const HOST = "generation-api.invalid";
export const BASE_PATH = "/v1";
export const ROOT = `https://${HOST}${BASE_PATH}`;
