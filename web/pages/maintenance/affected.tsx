// How many and which checks a window affects, saved or not, by the rule that silences.
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { useSettled } from '../../ui/form/settled.ts';
import { count } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import css from './maintenance.module.css';

type Preview = AnswerOf<'previewMaintenanceWindow'>;

type Window = AnswerOf<'getMaintenanceWindow'>;

/** Fields of a window that determine its checks. */
type Scope = Pick<
  Window,
  'pauseAllChecks' | 'tags' | 'checkIds' | 'groupIds' | 'silenceAllAlerts' | 'silenceAlertsTags'
>;

/** What is asked: the checks, and with times the next occurrences. */
type PreviewBody = Scope &
  Partial<Pick<Window, 'startsAt' | 'endsAt' | 'repeatUnit' | 'repeatInterval' | 'repeatEndsAt' | 'timezone'>>;

/** A preview of what is being entered; the previous one while the next is read. */
export function usePreview(body: PreviewBody): { readonly preview: Preview | undefined; readonly isOld: boolean } {
  const typed = JSON.stringify(body);
  const asked = useSettled(typed);
  const { data, isPlaceholderData } = useRead('previewMaintenanceWindow', { body: JSON.parse(asked) as PreviewBody });
  return { preview: data, isOld: asked !== typed || isPlaceholderData };
}

/** The checks of a stored window. */
export function Affected({ scope }: { readonly scope: Scope }) {
  const { pauseAllChecks, tags, checkIds, groupIds, silenceAllAlerts, silenceAlertsTags } = scope;
  const { preview } = usePreview({ pauseAllChecks, tags, checkIds, groupIds, silenceAllAlerts, silenceAlertsTags });
  return preview === undefined ? null : <AffectedChecks preview={preview} />;
}

/** Names that are shown at first. */
const shownAtFirst = 12;

export function AffectedChecks({ preview: { paused, silenced, accountChecks } }: { readonly preview: Preview }) {
  if (paused.total + silenced.total === 0) return <p>{text.affectsNone}</p>;
  return (
    <>
      {(
        [
          ['pause', paused],
          ['silence', silenced],
        ] as const
      ).map(([effect, { total, checks }]) => {
        if (total === 0) return null;
        const isAll = total === accountChecks && total > 1;
        return (
          <div key={effect} className={css['affected']} data-all={isAll ? '' : undefined}>
            <p>
              {isAll && <TriangleAlert size={16} aria-hidden />}{' '}
              <strong>
                {isAll
                  ? text.affectsAll[effect](count(total))
                  : text.affects[effect](count(total), count(accountChecks))}
              </strong>
            </p>
            <Names checks={checks.slice(0, shownAtFirst)} />
            {total > shownAtFirst && (
              <details>
                <summary>{text.moreChecks(count(total - shownAtFirst))}</summary>
                <Names checks={checks.slice(shownAtFirst)} />
                {total > checks.length && <p className="quiet">{text.firstChecks(count(checks.length))}</p>}
              </details>
            )}
          </div>
        );
      })}
    </>
  );
}

function Names({ checks }: { readonly checks: Preview['paused']['checks'] }) {
  return (
    <ul className={css['names']}>
      {checks.map(({ id, name }) => (
        <li key={id}>
          <Link to="/checks/$checkId" params={{ checkId: id }} search={{}}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
