// Check kinds by type, for the rest of the service.
import type { CheckType } from '#domain/checks/check.ts';
import type { AnyKind } from './kind.ts';
import * as registry from './registry.ts';

export const checkKinds: readonly AnyKind[] = Object.values(registry).toSorted((one, other) =>
  one.schema.type < other.schema.type ? -1 : 1,
);

const byType = new Map<CheckType, AnyKind>(checkKinds.map((kind) => [kind.schema.type, kind]));

/** Returns the kind of a check type. Throws if it is unknown. */
export function kindOf(type: CheckType): AnyKind {
  const kind = byType.get(type);
  if (kind === undefined) throw new Error(`there is no check type ${type}`);
  return kind;
}
