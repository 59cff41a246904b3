// What can be done with one occurrence of a window: skip it, take that back, or end it now.
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { useNow } from '../../ui/text/now.ts';
import { spanIn } from '../../ui/text/zone.ts';
import { text } from './strings.ts';
import css from './maintenance.module.css';

export type Occurrence = AnswerOf<'listMaintenanceOccurrences'>['occurrences'][number];

/** Queries that show windows or what they do. */
export const refreshes = [
  'listMaintenanceWindows',
  'getMaintenanceWindow',
  'listMaintenanceOccurrences',
  'listOccurrencesOfMaintenanceWindow',
  'getOverview',
  'getCheckAlerting',
] as const;

/** Where an occurrence is in time. @param now epoch ms */
export function phaseOf(
  { startsAt, endsAt, skipped, endedAt }: Occurrence,
  now: number,
): 'skipped' | 'ended' | 'over' | 'open' | 'planned' {
  if (skipped) return 'skipped';
  if (endedAt !== null) return 'ended';
  if (Date.parse(endsAt) <= now) return 'over';
  return Date.parse(startsAt) <= now ? 'open' : 'planned';
}

/** A line: its time in the zone, its state, and the actions of people who may change the account. */
export function OccurrenceLine({ occurrence, zone }: { readonly occurrence: Occurrence; readonly zone: string }) {
  const { startsAt, endsAt } = occurrence;
  const now = useNow();
  const phase = phaseOf(occurrence, now);
  const span = spanIn(Date.parse(startsAt), Date.parse(endsAt), zone, now);
  return (
    <span className={css['line']} data-phase={phase}>
      <time dateTime={startsAt}>{span}</time>
      {phase !== 'planned' && phase !== 'over' && <span className={css['phase']}>{text.phases[phase]}</span>}
      <OccurrenceActions occurrence={occurrence} span={span} />
    </span>
  );
}

function OccurrenceActions({ occurrence, span }: { readonly occurrence: Occurrence; readonly span: string }) {
  const { windowId, startsAt } = occurrence;
  const { write } = useMay();
  const now = useNow();
  const phase = phaseOf(occurrence, now);
  const skip = useWrite('skipMaintenanceOccurrence', refreshes);
  const restore = useWrite('restoreMaintenanceOccurrence', refreshes);
  if (!write) return null;
  const doSkip = () => skip.mutateAsync({ params: { id: windowId }, body: { startsAt } });
  const doRestore = () => restore.mutateAsync({ params: { id: windowId, startsAt } });
  if (phase === 'open') {
    return (
      <Button kind="quiet" aria-label={text.endLabel(span)} onPress={() => void toast.of(doSkip(), text.ended(span))}>
        {text.end}
      </Button>
    );
  }
  if (phase === 'planned') {
    return (
      <Button
        kind="quiet"
        aria-label={text.skipLabel(span)}
        onPress={() =>
          void toast.of(doSkip(), text.skipped(span), () => void toast.of(doRestore(), text.restored(span)))
        }
      >
        {text.skip}
      </Button>
    );
  }
  if (phase !== 'skipped' || Date.parse(startsAt) <= now) return null;
  return (
    <Button
      kind="quiet"
      aria-label={text.restoreLabel(span)}
      onPress={() => void toast.of(doRestore(), text.restored(span))}
    >
      {text.restore}
    </Button>
  );
}
