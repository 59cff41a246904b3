// Search parameters of the audit log.
import type { InputOf } from '#contract/operations.ts';
import { text } from './strings.ts';

type Query = InputOf<'listAuditLog'>['query'];

export interface AuditSearch {
  readonly resource?: NonNullable<Query['resource']>;
  readonly resourceId?: string;
  readonly kind?: NonNullable<Query['actorKind']>;
  readonly actor?: string;
  /** Cursor of a page. */
  readonly after?: string;
}

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const textOf = (name: string) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {};
  };
  const resource = String(search['resource']);
  const kind = String(search['kind']);
  return {
    ...textOf('resourceId'),
    ...textOf('actor'),
    ...textOf('after'),
    ...(Object.hasOwn(text.resources, resource) && { resource: resource as NonNullable<AuditSearch['resource']> }),
    ...(Object.hasOwn(text.actorKinds, kind) && { kind: kind as NonNullable<AuditSearch['kind']> }),
  };
}
