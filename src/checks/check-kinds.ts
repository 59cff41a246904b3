// Check kinds by type, for the rest of the product.
import type { CheckType } from '#domain/checks/check.ts';
import type { AnyKind } from './kind.ts';
import * as registry from './registry.ts';

/** The schemas of all kinds. */
export type KindSchema = (typeof registry)[keyof typeof registry]['schema'];

/** Every kind, by the names of their types. */
export const checkKinds: readonly (AnyKind & { readonly schema: KindSchema })[] = Object.values(registry).toSorted(
  (one, other) => (one.schema.type < other.schema.type ? -1 : 1),
);

const byType = new Map<CheckType, AnyKind>(checkKinds.map((kind) => [kind.schema.type, kind]));

/** What a check of that type is and does. Throws for a type that is none. */
export function kindOf(type: CheckType): AnyKind {
  const kind = byType.get(type);
  if (kind === undefined) throw new Error(`there is no check type ${type}`);
  return kind;
}
