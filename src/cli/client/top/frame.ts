// The picture of `top`, as lines: pure, so that it can be drawn at any size.
import { styleText } from 'node:util';
import type { AnswerOf } from '#contract/operations.ts';
import { oneLine } from '../../terminal-text.ts';
import { ageText } from '../output.ts';
import { evidenceLines, type Result, resultLine, styleOf } from '../result-text.ts';
import { type Cell, cut, type Style, textWidth } from '../table.ts';

type Status = AnswerOf<'listCheckStatuses'>[number];
type Incident = AnswerOf<'listIncidents'>[number];

/** Everything that the picture shows. */
export interface Board {
  readonly url: string;
  readonly account: string;
  readonly statuses: readonly Status[];
  /** Newest first. */
  readonly incidents: readonly Incident[];
  /** Whether the picture follows the server; false = it is older than it looks. */
  readonly isLive: boolean;
}

/** What a person has chosen to see. */
export interface View {
  /** ID of the selected check; null = the first. */
  readonly selectedId: string | null;
  /** Results of the selected check, newest first, while its details are shown; null = the list is shown. */
  readonly details: readonly Result[] | null;
  /** First line of the details that is shown. */
  readonly scroll: number;
}

/** Size of the terminal in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** States in the order of the list. */
const order = ['failing', 'degraded', 'pending', 'passing', 'paused'] as const;
/** Incidents below the list. */
const mostIncidents = 5;
/** Lines without a list: head, counts, titles, keys, and blank lines between. */
const fixedLines = 6;

/** The checks in the order of the list: failing first, then those that changed last. */
export function sorted(statuses: readonly Status[]): readonly Status[] {
  const rank = ({ state }: Status): number => order.indexOf(state);
  const at = ({ since }: Status): number => (since === null ? 0 : Date.parse(since));
  return statuses.toSorted((a, b) => rank(a) - rank(b) || at(b) - at(a) || a.name.localeCompare(b.name));
}

/** Counts of checks by state: `2 failing, 40 passing`. */
export function countsText(statuses: readonly Status[]): string {
  const counts = order.map((state) => [state, statuses.filter((each) => each.state === state).length] as const);
  const shown = counts.flatMap(([state, count]) => (count === 0 ? [] : [`${count} ${state}`]));
  return shown.length === 0 ? 'no checks' : shown.join(', ');
}

/**
 * The lines of the picture, exactly as many as the terminal has rows, none wider than it.
 * @param now epoch ms
 * @param isColored whether lines contain colors
 */
export function frameLines(
  board: Board,
  view: View,
  { columns, rows }: Size,
  now: number,
  isColored: boolean,
): readonly string[] {
  const paint = (text: string, style: Style | 'inverse'): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  const fit = (text: string): string => cut(text, columns);
  const time = new Date(now).toISOString().slice(11, 19);
  const head = [
    paint(
      fit(
        `${board.isLive ? 'Tocsin' : 'NOT CONNECTED, trying again'}  ${time} UTC  ${oneLine(board.account)}  ${board.url}`,
      ),
      board.isLive ? 'bold' : 'red',
    ),
    fit(countsText(board.statuses)),
    '',
  ];
  const keys = paint(
    fit(view.details === null ? '↑↓ select  Enter details  q quit' : '↑↓ scroll  Esc back  q quit'),
    'dim',
  );
  const room = Math.max(1, rows - head.length - 1);
  const body =
    view.details === null
      ? listBody(board, view, { columns, rows: room }, now, paint)
      : detailLines(board, view)
          .slice(view.scroll, view.scroll + room)
          .map(fit);
  const shown = [...head, ...body].slice(0, Math.max(0, rows - 1));
  return [...shown, ...Array.from({ length: Math.max(0, rows - 1 - shown.length) }, () => ''), keys].slice(-rows);
}

type Paint = (text: string, style: Style | 'inverse') => string;

function listBody(
  { statuses, incidents }: Board,
  view: View,
  size: Size,
  now: number,
  paint: Paint,
): readonly string[] {
  const list = sorted(statuses);
  const selected = selectedIndex(list, view.selectedId);
  const below = incidents.slice(0, Math.min(mostIncidents, Math.max(0, size.rows - fixedLines)));
  const belowLines =
    below.length === 0
      ? []
      : ['', 'Newest incidents', ...below.map((each) => cut(incidentText(each, now), size.columns))];
  const room = Math.max(1, size.rows - belowLines.length);
  // The selected check stays in sight.
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), list.length - room));
  const longest = Math.max(...list.map(({ name }) => textWidth(oneLine(name))));
  const nameWidth = Math.max(10, Math.min(40, Math.floor(size.columns / 3), longest));
  const rows = list.slice(from, from + room).map((status, index) => {
    const name = cut(oneLine(status.name), nameWidth);
    const padded = name + ' '.repeat(Math.max(0, nameWidth - textWidth(name)));
    const since = status.since === null ? '' : ageText(now - Date.parse(status.since));
    const state = status.state.padEnd(8);
    const rest = cut(
      `  ${since.padStart(6)}  ${reasonText(status)}`,
      Math.max(0, size.columns - nameWidth - 2 - state.length),
    ).trimEnd();
    const isSelected = from + index === selected;
    return isSelected
      ? paint(`${padded}  ${state}${rest}`, 'inverse')
      : `${padded}  ${paint(state, styleOf(status.state))}${rest}`;
  });
  return [...rows, ...belowLines];
}

function reasonText({ reason, acknowledgedAt, flappingSince, suppressedBy }: Status): string {
  const notes = [
    acknowledgedAt === null ? '' : 'acknowledged',
    flappingSince === null ? '' : 'flapping',
    suppressedBy === null ? '' : 'suppressed',
  ].filter((text) => text !== '');
  return [oneLine(reason ?? ''), ...notes].filter((text) => text !== '').join(', ');
}

function incidentText({ name, kind, openedAt, endedAt, error }: Incident, now: number): string {
  const length = ageText((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(openedAt));
  const state = endedAt === null ? `${kind} for ${length}` : `ended after ${length}`;
  return `${openedAt.slice(0, 16).replace('T', ' ')}  ${oneLine(name)}  ${state}  ${oneLine(error ?? '')}`.trimEnd();
}

/** The lines of the details, which may be more than the terminal has. */
export function detailLines({ statuses }: Board, { selectedId, details }: View): readonly string[] {
  const list = sorted(statuses);
  const status = list[selectedIndex(list, selectedId)];
  if (status === undefined) return ['There are no checks.'];
  const results = details ?? [];
  const [newest] = results;
  return [
    `${oneLine(status.name)}  ${status.state}${status.since === null ? '' : ` since ${status.since}`}`,
    '',
    newest === undefined ? 'There are no results yet.' : 'Newest results',
    ...results.map((result) => `  ${result.startedAt}  ${resultLine(result, plainCell)}`),
    ...(newest === undefined ? [] : evidenceLines(newest)),
  ];
}

function plainCell(cell: Cell, width = 0): string {
  return (typeof cell === 'string' ? cell : cell.text).padEnd(width);
}

/** Position of the selected check; the first if it is not in the list. */
export function selectedIndex(list: readonly Status[], selectedId: string | null): number {
  return Math.max(
    0,
    list.findIndex(({ checkId }) => checkId === selectedId),
  );
}
