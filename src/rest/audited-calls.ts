// Calls whose changes add entries to the audit log.
import type { OperationId } from '#contract/operations.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Acting, Actor } from '#domain/accounts/audit-entry.ts';
import type { AnyCall, Route } from './route.ts';

/** What adds entries to the audit log; absent = nothing does. */
export interface AuditOption {
  readonly isAudited: (id: OperationId) => boolean;
  /** Runs a call whose changes are audited. */
  readonly runAs: <Answer>(acting: Acting, work: () => Answer) => Answer;
  /** For tests: whether every successful call adds an entry; one that does not is a 500. */
  readonly mustChange?: (id: OperationId) => boolean;
}

/** Runs an operation that adds entries to the audit log. @param via how the request came, unless it names the operation */
export async function runAudited(
  { id, run }: Route,
  call: AnyCall,
  audit: AuditOption,
  via: Acting['via'] = null,
): Promise<unknown> {
  const { caller, address, requestId } = call;
  let entries = 0;
  const acting: Acting = {
    actor: actorOf(caller, call),
    accountId: caller?.accountId ?? null,
    operation: id,
    via,
    address,
    requestId,
    onEntries: (count) => (entries += count),
  };
  const result = await audit.runAs(acting, () => run(call));
  if (entries === 0 && audit.mustChange?.(id) === true) throw new Error(`${id} added no entry to the audit log`);
  return result;
}

function actorOf(caller: Caller | undefined, { params }: AnyCall): Actor {
  if (caller === undefined) {
    const isLink = typeof params === 'object' && params !== null && 'link' in params;
    return { kind: isLink ? 'link' : 'anonymous', id: null, name: null };
  }
  const { principal } = caller;
  return { kind: principal.kind, id: principal.id, name: principal.kind === 'user' ? principal.email : null };
}
