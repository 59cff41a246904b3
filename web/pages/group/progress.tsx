// Progress and outcome of the latest run of a complete group.
import { Link } from '@tanstack/react-router';
import { ProgressBar } from 'react-aria-components';
import { useAll } from '../../api/all.ts';
import { milliseconds, sentence } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import { OutcomeBadge } from '../../ui/checks/state.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { text } from './strings.ts';
import css from './group.module.css';

/** Runs in the table at most, those that did not pass first. */
const maxShown = 200;

/** @param isFollowed the group was started on this page: shown from its first run on */
export function Progress({ groupId, isFollowed }: { readonly groupId: number; readonly isFollowed: boolean }) {
  const runs = useAll(
    'listGroupTriggerRuns',
    { params: { groupId } },
    {
      isEnabled: isFollowed,
      // The more runs, the more requests: one a second on average.
      everyMs: (data) =>
        data === undefined || data.some(({ state }) => state === 'running')
          ? 1000 * Math.max(1, Math.ceil((data?.length ?? 0) / 100))
          : false,
    },
  );
  const { data } = runs;
  if (data === undefined || data.length === 0) return null;
  const ended = data.filter(({ state }) => state === 'ended');
  const bad = ended.filter(({ outcome }) => outcome !== 'passed' && outcome !== 'degraded');
  const shown = [...bad, ...data.filter((run) => !bad.includes(run))].slice(0, maxShown);
  const isDone = ended.length === data.length;
  const verdict = bad.length > 0 ? text.failed(bad.length, data.length) : text.passed(data.length);
  return (
    <Section title={text.progress}>
      <div role="status" className={css['verdict']} data-bad={bad.length > 0 ? '' : undefined}>
        {isDone ? verdict : text.done(ended.length, data.length)}
      </div>
      <ProgressBar aria-label={text.progress} value={ended.length} maxValue={data.length} className={css['bar'] ?? ''}>
        {({ percentage = 0 }) => <div className={css['filled']} style={{ width: `${percentage}%` }} />}
      </ProgressBar>
      <Table
        label={text.progress}
        rows={shown}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: text.columns.name,
            isName: true,
            cell: ({ id, checkId, name, state }) =>
              state === 'ended' ? (
                <Link to="/checks/$checkId/results/$resultId" params={{ checkId, resultId: id }}>
                  {name}
                </Link>
              ) : (
                name
              ),
          },
          {
            id: 'outcome',
            title: text.columns.outcome,
            cell: ({ outcome }) => (outcome === null ? text.running : <OutcomeBadge outcome={outcome} />),
          },
          { id: 'location', title: text.columns.location, cell: ({ runLocation }) => runLocation },
          {
            id: 'time',
            title: text.columns.time,
            isNumber: true,
            cell: ({ responseTime }) => (responseTime === null ? '–' : milliseconds(responseTime)),
          },
          { id: 'message', title: text.columns.message, cell: ({ message }) => sentence(message ?? '') },
        ]}
      />
      {data.length > maxShown && <p className="quiet">{text.shownRuns(maxShown, data.length)}</p>}
    </Section>
  );
}
