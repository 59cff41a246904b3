// The list of maintenance windows, and a window in words.
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { useMore } from '../../api/query.ts';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { useNow } from '../../ui/text/now.ts';
import { Ago, At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './maintenance.module.css';

export type Window = AnswerOf<'listMaintenanceWindows'>[number];

export function Windows() {
  const windows = useMore('listMaintenanceWindows');
  if (windows.error && windows.items === undefined) {
    return <LoadError error={windows.error} onRetry={() => void windows.refetch()} />;
  }
  if (windows.items === undefined) return <Skeleton />;
  if (windows.items.length === 0) {
    return (
      <Empty title={text.empty}>
        <p>{text.emptyHelp}</p>
      </Empty>
    );
  }
  const { columns } = text;
  return (
    <>
      <Table
        label={text.windows}
        rows={windows.items}
        keyOf={({ id }) => String(id)}
        columns={[
          {
            id: 'name',
            title: columns.name,
            isName: true,
            cell: ({ id, name }) => (
              <Link to="/maintenance/$windowId" params={{ windowId: String(id) }} data-row>
                {name}
              </Link>
            ),
          },
          { id: 'next', title: columns.next, cell: (window) => <Next window={window} /> },
          { id: 'effect', title: columns.effect, cell: effectOf },
          { id: 'repeat', title: columns.repeat, cell: repeatOf },
        ]}
      />
      <More {...windows} shown={windows.items.length} />
    </>
  );
}

export function Next({ window: { nextStartsAt, nextEndsAt } }: { readonly window: Window }) {
  const now = useNow();
  if (nextStartsAt === null || nextEndsAt === null) return <span className="quiet">{text.over}</span>;
  return Date.parse(nextStartsAt) <= now ? (
    <strong className={css['open']}>
      {text.now} <At at={nextEndsAt} />
    </strong>
  ) : (
    <>
      <At at={nextStartsAt} /> {text.until} <At at={nextEndsAt} />{' '}
      <span className="quiet">
        (<Ago at={nextStartsAt} />)
      </span>
    </>
  );
}

export function effectOf(window: Window): string {
  const { pauseAllChecks, silenceAllAlerts, tags, silenceAlertsTags, checkIds, groupIds } = window;
  const all = [
    ...(pauseAllChecks ? [text.pauseAll] : []),
    ...(silenceAllAlerts ? [text.silenceAll] : []),
    ...(tags.length > 0 ? [text.pauseTags(tags)] : []),
    ...(checkIds.length + groupIds.length > 0 ? [text.pauseSome(checkIds.length, groupIds.length)] : []),
    ...(silenceAlertsTags.length > 0 ? [text.silenceTags(silenceAlertsTags)] : []),
  ];
  return all.length === 0 ? text.noEffect : all.join('; ');
}

export function repeatOf({ repeatUnit, repeatInterval }: Window): string {
  if (repeatUnit === null) return text.once;
  return (repeatInterval ?? 1) === 1 ? text.repeats[repeatUnit] : text.every(repeatInterval ?? 1, repeatUnit);
}
