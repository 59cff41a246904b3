// Who acts in a request or command, for the audit log. It follows the asynchronous work, so that no statement has to pass it on.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Acting } from '#domain/accounts/audit-entry.ts';

const storage = new AsyncLocalStorage<Acting>();

/** Runs a request or command; every transaction that it begins writes an entry if it changes something. */
export function runAs<Answer>(acting: Acting, work: () => Answer): Answer {
  return storage.run(acting, work);
}

/** Whose transaction begins; undefined = a step of the service itself, which is not audited. */
export function currentActing(): Acting | undefined {
  return storage.getStore();
}
