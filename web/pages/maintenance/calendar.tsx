// A month of maintenance: a grid of days on wide screens, a list of days on a phone.
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRead } from '../../api/query.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { useMedia } from '../../ui/layout/media.ts';
import { useNow } from '../../ui/text/now.ts';
import { monthOf, weekdayOf } from '../../ui/text/zone.ts';
import { type CalendarMonth, calendarMonth, type DayPart, monthText, partsByDay, shifted } from './month.ts';
import { type Occurrence, OccurrenceLine, phaseOf } from './occurrence.tsx';
import { text } from './strings.ts';
import css from './maintenance.module.css';

interface CalendarProps {
  readonly zone: string;
  /** `2026-11`; undefined = the current one. */
  readonly month: string | undefined;
  /** @param month undefined = the current one */
  readonly onMonth: (month: string | undefined) => void;
}

/** Occurrences in a cell of the grid; the list below has all. */
const shownInCell = 3;

export function Calendar({ zone, month, onMonth }: CalendarProps) {
  const now = useNow();
  const isWide = useMedia('(width >= 760px)');
  const current = monthText(now, zone);
  const shown = month ?? current;
  const grid = calendarMonth(shown, zone);
  const { data, error, refetch } = useRead('listMaintenanceOccurrences', { query: grid.query });
  const title = monthOf(grid.firstDay);
  const go = (by: number): void => {
    const next = shifted(shown, by);
    onMonth(next === current ? undefined : next);
  };
  const isOld = data !== undefined && data.from !== grid.query.from;
  const parts = data === undefined || isOld ? null : partsByDay(data.occurrences, grid, zone);
  return (
    <>
      <div className={css['months']}>
        <IconButton label={text.previousMonth} onPress={() => go(-1)}>
          <ChevronLeft size={18} />
        </IconButton>
        <h3 aria-live="polite">{title}</h3>
        <IconButton label={text.nextMonth} onPress={() => go(1)}>
          <ChevronRight size={18} />
        </IconButton>
        {shown !== current && (
          <Button kind="quiet" onPress={() => onMonth(undefined)}>
            {text.today}
          </Button>
        )}
      </div>
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : parts === null ? (
        <Skeleton lines={5} height={64} />
      ) : (
        <>
          {data?.isComplete === false && <p className={css['incomplete']}>{text.incomplete}</p>}
          {isWide ? (
            <Grid title={title} month={grid} parts={parts} today={grid.dayOf(now)} />
          ) : (
            <Agenda month={grid} parts={parts} today={grid.dayOf(now)} zone={zone} />
          )}
        </>
      )}
    </>
  );
}

type Parts = ReadonlyMap<number, readonly DayPart[]>;

function Grid({
  title,
  month: { weeks, isInMonth },
  parts,
  today,
}: {
  readonly title: string;
  readonly month: CalendarMonth;
  readonly parts: Parts;
  readonly today: number;
}) {
  return (
    <table className={css['grid']}>
      <caption className="visually-hidden">{text.calendarOf(title)}</caption>
      <thead>
        <tr>
          {text.weekdays.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((days) => (
          <tr key={days[0]}>
            {days.map((day) => (
              <td key={day} data-other={isInMonth(day) ? undefined : ''} data-today={day === today ? '' : undefined}>
                <Cell day={day} parts={parts.get(day) ?? []} isToday={day === today} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dayMs = 86_400_000;

function Cell({
  day,
  parts,
  isToday,
}: {
  readonly day: number;
  readonly parts: readonly DayPart[];
  readonly isToday: boolean;
}) {
  const date = weekdayOf(day * dayMs);
  const more = parts.length - shownInCell;
  return (
    <>
      <span className={css['date']} {...(isToday && { 'aria-current': 'date' })}>
        <span className="visually-hidden">{date}</span>
        <span aria-hidden>{new Date(day * dayMs).getUTCDate()}</span>
      </span>
      {parts.length > 0 && (
        <ul aria-label={date}>
          {parts.slice(0, shownInCell).map((part) => (
            <li key={`${part.occurrence.windowId} ${part.occurrence.startsAt}`}>
              <Chip part={part} />
            </li>
          ))}
          {more > 0 && (
            <li>
              <details>
                <summary>{text.more(more)}</summary>
                <ul>
                  {parts.slice(shownInCell).map((part) => (
                    <li key={`${part.occurrence.windowId} ${part.occurrence.startsAt}`}>
                      <Chip part={part} />
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function Chip({ part: { occurrence, when } }: { readonly part: DayPart }) {
  const { windowId, name } = occurrence;
  const phase = phaseOf(occurrence, useNow());
  return (
    <Link
      to="/maintenance/$windowId"
      params={{ windowId: String(windowId) }}
      className={css['chip']}
      data-phase={phase}
      title={`${when} ${name}`}
    >
      <span className={css['when']}>{when}</span> {name}
      {phase === 'skipped' || phase === 'ended' || phase === 'open' ? (
        <span className={css['phase']}> {text.phases[phase]}</span>
      ) : null}
    </Link>
  );
}

/** The days of the month with maintenance, those before today folded. An occurrence stands on its first day of the month. */
function Agenda({
  month,
  parts,
  today,
  zone,
}: {
  readonly month: CalendarMonth;
  readonly parts: Parts;
  readonly today: number;
  readonly zone: string;
}) {
  const listed = new Set<Occurrence>();
  const days = month.weeks
    .flat()
    .filter(month.isInMonth)
    .flatMap((day) => {
      // What still lasts today stands there.
      const own = (parts.get(day) ?? []).filter(
        ({ occurrence }) => !listed.has(occurrence) && (day >= today || !lasts(occurrence, parts.get(today))),
      );
      for (const { occurrence } of own) listed.add(occurrence);
      return own.length === 0 ? [] : [{ day, own }];
    });
  const past = days.filter(({ day }) => day < today);
  const rest = days.filter(({ day }) => day >= today);
  if (days.length === 0) return <p>{text.emptyMonth}</p>;
  if (rest.length === 0) return <Days days={past} zone={zone} />;
  return (
    <>
      {past.length > 0 && (
        <details className={css['past']}>
          <summary>{text.pastDays(past.length)}</summary>
          <Days days={past} zone={zone} />
        </details>
      )}
      <Days days={rest} zone={zone} />
    </>
  );
}

function lasts(occurrence: Occurrence, parts: readonly DayPart[] | undefined): boolean {
  return parts?.some((part) => part.occurrence === occurrence) === true;
}

function Days({
  days,
  zone,
}: {
  readonly days: readonly { readonly day: number; readonly own: readonly DayPart[] }[];
  readonly zone: string;
}) {
  return (
    <ul className={css['agenda']}>
      {days.map(({ day, own }) => (
        <li key={day}>
          <h4>{weekdayOf(day * dayMs)}</h4>
          <ul>
            {own.map(({ occurrence }) => (
              <li key={`${occurrence.windowId} ${occurrence.startsAt}`}>
                <Link to="/maintenance/$windowId" params={{ windowId: String(occurrence.windowId) }}>
                  {occurrence.name}
                </Link>
                <OccurrenceLine occurrence={occurrence} zone={zone} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
