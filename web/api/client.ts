// Calls the API of this server as the signed-in person, typed by the contract.
import { operations } from 'virtual:operations';
import { type Client, createCaller } from '#contract/caller.ts';

export { ServiceError } from '#contract/caller.ts';

const clients = new Map<string, Client>();

/** The client that acts on an account; '' = the person's default account. */
export function clientOf(accountId: string): Client {
  const known = clients.get(accountId);
  if (known !== undefined) return known;
  const client = createCaller((id) => operations[id], {
    baseUrl: location.origin,
    ...(accountId !== '' && { accountId }),
  });
  clients.set(accountId, client);
  return client;
}
