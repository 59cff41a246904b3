// Warns about assertions that pass if their value does not exist, and upgrades them (docs/decisions/0140).
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { text } from './strings.ts';
import css from './check.module.css';

/** Shows nothing if no assertion is older. */
export function OlderAssertions({ check }: { readonly check: AnswerOf<'getCheck'> }) {
  const upgrade = useWrite('upgradeAssertionsOfCheck', ['getCheck']);
  const { write } = useMay();
  const count = olderIn(check);
  if (count === 0) return null;
  return (
    <section className={css['older']} aria-label={text.olderTitle}>
      <p>{text.older(count)}</p>
      {write && (
        <Button isPending={upgrade.isPending} onPress={() => upgrade.mutate({ params: { id: check.id } })}>
          {text.upgrade}
        </Button>
      )}
      {upgrade.error && <ErrorMessage error={upgrade.error} />}
    </section>
  );
}

/** Number of older assertions, wherever the type has them. */
function olderIn(check: AnswerOf<'getCheck'>): number {
  const places: readonly unknown[] = [check, ...Object.values(check)];
  return places.flatMap(assertionsOf).filter((each) => each.passesIfAbsent === true).length;
}

function assertionsOf(place: unknown): readonly { readonly passesIfAbsent?: unknown }[] {
  const list = typeof place === 'object' && place !== null && 'assertions' in place ? place.assertions : null;
  return Array.isArray(list) ? (list as { readonly passesIfAbsent?: unknown }[]) : [];
}
