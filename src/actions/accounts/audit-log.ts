// Reading the audit log of an account.
import type { AuditFilter } from '#store/accounts/audit-log.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { AuditEntry } from '#domain/accounts/audit-entry.ts';
import { requirePermission } from './permission.ts';

/** Entries of one download; older ones need another with `to`. */
export const maxExported = 10_000;
const pageSize = 500;

export type AuditLogActions = ReturnType<typeof createAuditLogActions>;

export function createAuditLogActions({ auditLog }: Pick<Store, 'auditLog'>) {
  return {
    /** Newest first, older than the entry `before`; `nextId` = cursor of the next page, null on the last page. */
    async list(caller: Caller, filter: AuditFilter, before: string | null, limit: number) {
      requirePermission(caller, 'admin');
      const found = await auditLog.walk(caller.accountId, filter, before, limit + 1);
      const entries = found.slice(0, limit);
      return { entries, nextId: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
    },
    /** Some entries at a time, newest first, up to 10,000. */
    async *export(caller: Caller, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
      requirePermission(caller, 'admin');
      let before: string | null = null;
      for (let count = 0; count < maxExported; count += pageSize) {
        const some: AuditEntry[] = await auditLog.walk(caller.accountId, filter, before, pageSize);
        yield some;
        if (some.length < pageSize) return;
        before = some.at(-1)?.id ?? null;
      }
    },
  };
}
