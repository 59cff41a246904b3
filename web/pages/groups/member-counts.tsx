// Number of checks of a group by state.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { count } from '../../ui/text/format.ts';
import { states, type CheckState } from '../../ui/checks/state.tsx';
import css from './groups.module.css';

export function MemberCounts({ groupId }: { readonly groupId: number }) {
  const { data } = useRead('getOverview', { query: { groupId: String(groupId), limit: 1 } });
  if (data === undefined) return <span className="quiet">…</span>;
  const shown = (Object.keys(states) as CheckState[]).filter((state) => data.summary[state] > 0);
  if (shown.length === 0) return <span className="quiet">No checks</span>;
  return (
    <span className={css['counts']}>
      {shown.map((state) => {
        const { icon: Icon, word, className } = states[state];
        return (
          <Link key={state} to="/" search={{ groupId: String(groupId), state }} className={className}>
            <Icon size={14} aria-hidden /> {count(data.summary[state])} {word.toLowerCase()}
          </Link>
        );
      })}
    </span>
  );
}
