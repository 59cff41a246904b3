// Calls the API of this server as the signed-in person, typed by the contract.
import { type CalledOperation, type Client, createCaller } from '#contract/caller.ts';
import type { OperationId } from '#contract/operations.ts';

export { ServiceError } from '#contract/caller.ts';

/** Filled in by the build (`web/vite.config.ts`). */
declare const OPERATIONS: Readonly<Record<OperationId, CalledOperation>>;

const clients = new Map<string, Client>();

/** The client that acts on an account; '' = the person's default account. */
export function clientOf(accountId: string): Client {
  const known = clients.get(accountId);
  if (known !== undefined) return known;
  const client = createCaller((id) => OPERATIONS[id], {
    baseUrl: location.origin,
    ...(accountId !== '' && { accountId }),
  });
  clients.set(accountId, client);
  return client;
}
