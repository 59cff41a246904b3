// What is used of undici, each from its own file: its whole brings fetch, web sockets, caches and mock agents along, which the
// thread that sends deliveries would load at every start (docs/decisions/0063).
import { createRequire } from 'node:module';
import type * as Whole from 'undici';

const load = createRequire(import.meta.url);

/** One connection to an origin. */
export const Client = load('undici/lib/dispatcher/client.js') as typeof Whole.Client;
/** The connections to an origin. */
export const Pool = load('undici/lib/dispatcher/pool.js') as typeof Whole.Pool;
/** Makes what opens connections. */
export const buildConnector = load('undici/lib/core/connect.js') as typeof Whole.buildConnector;
/** What is thrown. */
export const errors = load('undici/lib/core/errors.js') as typeof Whole.errors;
