/** Stands for the operator's root, which is always given: there is no service by default. */
export const HOST = "generation-api.invalid";
export const ROOT_PATH = "/v1";
export const ROOT = `https://${HOST}${ROOT_PATH}`;
