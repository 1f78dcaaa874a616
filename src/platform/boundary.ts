/**
 * Called at each moment where a crash would matter: before and after a commit, before and
 * after a message leaves the process. The name says which. In production it does nothing;
 * tests pass one that ends the process or throws.
 */
export type Boundary = (name: string) => void;

export const noBoundary: Boundary = () => {};
