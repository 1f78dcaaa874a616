/** Called around commits and outgoing messages. Tests pass one that ends the process or throws. */
export type FailPoint = (name: string) => void;

export const noFailPoint: FailPoint = () => {};
