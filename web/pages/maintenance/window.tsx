// One maintenance window: what it does to which checks, and its next occurrences.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { LastChange } from '../../ui/layout/last-change.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { zoneName } from '../../ui/controls/zone-choice.tsx';
import { useNow } from '../../ui/text/now.ts';
import { spanIn, timeIn } from '../../ui/text/zone.ts';
import { Affected } from './affected.tsx';
import { OccurrenceLine } from './occurrence.tsx';
import { text } from './strings.ts';
import { effectOf, Next, repeatOf, type Window } from './windows.tsx';
import css from './maintenance.module.css';

export function WindowPage() {
  const { windowId } = useParams({ from: '/shell/maintenance/$windowId' });
  const window = useRead('getMaintenanceWindow', { params: { id: windowId } });
  if (window.error && window.data === undefined) {
    return <LoadError error={window.error} onRetry={() => void window.refetch()} />;
  }
  if (window.data === undefined) return <Skeleton lines={6} height={40} />;
  return <Shown window={window.data} />;
}

function Shown({ window }: { readonly window: Window }) {
  const { write } = useMay();
  const navigate = useNavigate();
  const { id, name, description, timezone, startsAt, endsAt, repeatEndsAt } = window;
  const now = useNow();
  return (
    <>
      <PageHead title={name} above={<Link to="/maintenance">{text.title}</Link>}>
        {write && (
          <>
            <Button
              onPress={() => void navigate({ to: '/maintenance/$windowId/edit', params: { windowId: String(id) } })}
            >
              {text.edit}
            </Button>
            <Remove window={window} />
          </>
        )}
      </PageHead>
      {description !== null && <p className={css['description']}>{description}</p>}
      <Facts
        facts={[
          [text.columns.next, <Next key="next" window={window} />],
          [text.columns.effect, effectOf(window)],
          [text.columns.repeat, repeatOf(window)],
          ...(repeatEndsAt === null
            ? []
            : [[text.repeatEnds, timeIn(Date.parse(repeatEndsAt), timezone, now)] as const]),
          [text.first, spanIn(Date.parse(startsAt), Date.parse(endsAt), timezone, now)],
          [text.timeZone, zoneName(timezone)],
        ]}
      />
      <Section title={text.checks}>
        <Affected scope={window} />
      </Section>
      <Section title={text.occurrences}>
        <Occurrences window={window} />
      </Section>
      <LastChange
        resource="maintenance-window"
        id={String(id)}
        createdAt={window.created_at}
        updatedAt={window.updated_at}
      />
    </>
  );
}

/** Occurrences that are listed. */
const listed = 10;

function Occurrences({ window: { id, timezone, repeatUnit } }: { readonly window: Window }) {
  const query = { limit: listed };
  const { data, error, refetch } = useRead('listOccurrencesOfMaintenanceWindow', { params: { id }, query });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) return <p className="quiet">{text.noOccurrences}</p>;
  return (
    <>
      <p className="quiet">{text.inZone(zoneName(timezone))}</p>
      <ul className={css['occurrences']} aria-label={text.occurrences}>
        {data.map((occurrence) => (
          <li key={occurrence.startsAt}>
            <OccurrenceLine occurrence={occurrence} zone={timezone} />
          </li>
        ))}
      </ul>
      {repeatUnit !== null && data.length === listed && <p className="quiet">{text.nextOnly(listed)}</p>}
    </>
  );
}

function Remove({ window: { id, name } }: { readonly window: Window }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useWrite('deleteMaintenanceWindow', [
    'listMaintenanceWindows',
    'listMaintenanceOccurrences',
    'getOverview',
  ]);
  return (
    <>
      <Button onPress={() => setAsking(true)}>{text.remove}</Button>
      <Confirm
        title={text.removeTitle(name)}
        action={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id } });
          toast.done(text.removed(name));
          void navigate({ to: '/maintenance' });
        }}
      >
        <p>{text.removeHelp}</p>
      </Confirm>
    </>
  );
}
