// Recognizes requests of the `checkly` command line, some of which need other responses than those of other clients.
import type { IncomingHttpHeaders } from 'node:http';

const cli = 'CLI';

/** The constraint of routes that only that command line gets. */
export const ofCli = { source: cli };

/** The framework's strategy for that constraint: other requests, and paths without such a route, are not affected. */
export const cliSource = {
  name: 'source',
  storage<Handler>() {
    const handlers = new Map<string, Handler>();
    return {
      get: (source: string) => handlers.get(source) ?? null,
      set: (source: string, handler: Handler) => void handlers.set(source, handler),
    };
  },
  deriveConstraint: ({ headers }: { readonly headers: IncomingHttpHeaders }) => String(headers['x-checkly-source']),
  validate: () => {},
  mustMatchWhenDerived: false,
};

/** Whether it sent a request. It may not end before its idle connections, which are closed for that reason. */
export function isOfCli(headers: IncomingHttpHeaders): boolean {
  return headers['x-checkly-source'] === cli;
}
