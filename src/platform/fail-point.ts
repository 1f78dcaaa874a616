/**
 * Called where a crash matters: before and after a commit or an outgoing message. A no-op in production;
 * tests pass one that ends the process or throws.
 */
export type FailPoint = (name: string) => void;

export const noFailPoint: FailPoint = () => {};
