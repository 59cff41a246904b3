// A typed client of the API.
import { type Client, type ClientOptions, createCaller } from './caller.ts';
import { calledOperation } from './called-operations.ts';

/** A client with all operations. */
export function createClient(options: ClientOptions): Client {
  return createCaller(calledOperation, options);
}
