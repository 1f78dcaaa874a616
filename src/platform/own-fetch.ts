/*
 * Imported before undici, which otherwise makes itself the dispatcher of the global `fetch` (docs/adr/0010): loads
 * Node's own.
 */
new Headers();
