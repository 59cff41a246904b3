// Routes of the audit log, as JSON and CSV.
import type { AuditLogActions } from '#actions/accounts/audit-log.ts';
import type { AuditEntryBody } from '#contract/accounts/audit-log.ts';
import type { AuditEntry } from '#domain/accounts/audit-entry.ts';
import { csvAnswer, type CsvColumns } from '../results/csv.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function auditLogRoutes(actions: AuditLogActions): Route[] {
  return [
    route('listAuditLog', async ({ caller, query: { limit, nextId, ...filter } }) => {
      const page = await actions.list(caller, filter, nextId ?? null, limit);
      return { entries: page.entries.map(toWire), nextId: page.nextId };
    }),
    route('exportAuditLog', ({ caller, query, signal }) =>
      csvAnswer('tocsin-audit-log', columns, actions.export(caller, query), signal),
    ),
  ];
}

function toWire({ at, changes, ...entry }: AuditEntry): AuditEntryBody {
  return { ...entry, at: isoText(at), changes: changes.map((each) => ({ ...each, fields: [...each.fields] })) };
}

const columns: CsvColumns<AuditEntry> = [
  ['at', ({ at }) => isoText(at)],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['address', ({ address }) => address],
  ['operation', ({ operation }) => operation],
  ['via', ({ via }) => via],
  ['resource', ({ resource }) => resource],
  ['resource_id', ({ resourceId }) => resourceId],
  ['resource_name', ({ resourceName }) => resourceName],
  ['count', ({ count }) => count],
  ['changes', ({ changes }) => JSON.stringify(changes)],
  ['request_id', ({ requestId }) => requestId],
  ['id', ({ id }) => id],
];
