import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { ContractError } from "../../../src/contract/errors.js";
import { type PricedRequest, readRequest } from "../../../src/jobs/read-request.js";

export const catalogue = loadCatalogue("data/catalogue.json");

/** A public picture's link, as WHATWG URL writes it. */
export const link = (name: string) => `https://pictures.example.com/${name}.png`;

export function read(body: unknown): PricedRequest {
  return readRequest(body, catalogue);
}

/** The normalised request of a body. */
export function requestOf(body: unknown): PricedRequest["request"] {
  return read(body).request;
}

/** The code and the detail that a body is refused with. */
export function refusalOf(body: unknown): { code: string; allowed?: readonly unknown[] } & object {
  try {
    read(body);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { param: _heldOverHttp, ...detail } = error.detail;
    return { code: error.code, ...detail };
  }
  throw new Error(`accepted: ${JSON.stringify(body)}`);
}
