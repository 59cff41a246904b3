// Warns about assertions that pass if their value does not exist, and upgrades them (docs/decisions/0140).
import { useMay } from '../../api/me.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { ErrorMessage } from '../layout/feedback.tsx';
import css from './older-assertions.module.css';

const text = {
  title: 'Older assertions',
  older: (count: number) =>
    count === 1
      ? 'One assertion passes even if its value does not exist, because an older version of Tocsin saved it.'
      : `${count} assertions pass even if their values do not exist, because an older version of Tocsin saved them.`,
  upgrade: 'Upgrade assertions',
};

/** The warning of a check. Shows nothing if no assertion is older. */
export function OlderAssertionsOfCheck({ check }: { readonly check: { readonly id: string } }) {
  const upgrade = useWrite('upgradeAssertionsOfCheck', ['getCheck']);
  const start = (): void => upgrade.mutate({ params: { id: check.id } });
  return <OlderAssertions subject={check} upgrade={upgrade} onUpgrade={start} />;
}

/** The same for the defaults of a group. */
export function OlderAssertionsOfGroup({ group }: { readonly group: { readonly id: number } }) {
  const upgrade = useWrite('upgradeAssertionsOfCheckGroup', ['getCheckGroup']);
  const start = (): void => upgrade.mutate({ params: { id: group.id } });
  return <OlderAssertions subject={group} upgrade={upgrade} onUpgrade={start} />;
}

function OlderAssertions({
  subject,
  upgrade,
  onUpgrade,
}: {
  readonly subject: object;
  readonly upgrade: { readonly isPending: boolean; readonly error: unknown };
  readonly onUpgrade: () => void;
}) {
  const { write } = useMay();
  const count = [subject, ...Object.values(subject)]
    .flatMap(assertionsOf)
    .filter(({ passesIfAbsent }) => passesIfAbsent);
  if (count.length === 0) return null;
  return (
    <section className={css['older']} aria-label={text.title}>
      <p>{text.older(count.length)}</p>
      {write && (
        <Button isPending={upgrade.isPending} onPress={onUpgrade}>
          {text.upgrade}
        </Button>
      )}
      {upgrade.error !== null && <ErrorMessage error={upgrade.error} />}
    </section>
  );
}

function assertionsOf(place: unknown): readonly { readonly passesIfAbsent?: boolean }[] {
  const list = typeof place === 'object' && place !== null && 'assertions' in place ? place.assertions : null;
  return Array.isArray(list) ? (list as { readonly passesIfAbsent?: boolean }[]) : [];
}
