// A result with its reason and evidence as lines for people. All texts come from servers and targets.
import type { Evidence, EvidenceSection } from '#checks/show.ts';
import * as shows from '#checks/shows.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { oneLine, withoutControls } from '../terminal-text.ts';
import { type Style, cellText } from './table.ts';

export type Result = AnswerOf<'getCheckResult'>;

/** Lines of one body or log that are shown. */
const mostLines = 20;
/** Characters of one line that are shown. */
const longestLine = 500;

const format = {
  milliseconds: (ms: number) => `${Math.round(ms)} ms`,
  bytes: (count: number) => `${count} bytes`,
  day: (at: number) => new Date(at).toISOString().slice(0, 10),
};

/** Style of an outcome or state. */
export function styleOf(state: string): Style {
  if (state === 'passed' || state === 'passing') return 'green';
  if (state === 'failed' || state === 'failing') return 'red';
  return state === 'degraded' || state === 'unknown' || state === 'missed' ? 'yellow' : 'dim';
}

/** One line: outcome, time, location and message. @param paint shows the outcome; default: colored on a terminal */
export function resultLine(
  { outcome, responseTime, runLocation, message }: Result,
  paint: typeof cellText = cellText,
): string {
  const time = responseTime > 0 ? `${responseTime} ms` : '';
  return [
    paint({ text: outcome, style: styleOf(outcome) }, 8),
    oneLine(runLocation),
    time.padStart(8),
    oneLine(message ?? ''),
  ]
    .join('  ')
    .trimEnd();
}

/** What the result saw: failed assertions, request and response, output of scripts. */
export function evidenceLines(result: Result): readonly string[] {
  const evidence = evidenceOf(result);
  if (evidence === null) return [];
  const failed = (evidence.assertions ?? []).filter(({ passed }) => !passed).map(({ message }) => oneLine(message));
  const error = evidence.requestError ?? null;
  const sections = evidence.sections.map((section) => ({ title: section.title, lines: sectionLines(section) }));
  const isRepeated = error === null || sections.some(({ lines }) => lines.includes(oneLine(error)));
  return [
    ...titled('Failed assertions', failed),
    ...titled('No response', isRepeated ? [] : [oneLine(error)]),
    ...sections.flatMap(({ title, lines }) => titled(title, lines)),
    ...(evidence.logs ?? []).flatMap(({ title, lines }) =>
      titled(
        title,
        lines.slice(-mostLines).map(({ msg }) => oneLine(msg)),
      ),
    ),
    ...titled('Script', scriptLines(evidence)),
  ];
}

function evidenceOf(result: Result): Evidence | null {
  // One member depends on the check type.
  const [, part] = Object.entries(result).find(([name]) => name.endsWith('CheckResult')) ?? [];
  const show = Object.values(shows).find(({ type }) => type === result.checkType);
  return part == null || show === undefined ? null : show.evidence(part as never, format);
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0
    ? []
    : ['', oneLine(title), ...lines.map((line) => `  ${line.slice(0, longestLine)}`.trimEnd())];
}

function sectionLines({ note, line, facts = [], headers, texts = [] }: EvidenceSection): readonly string[] {
  return [
    ...(note ? [oneLine(note)] : []),
    ...(line === undefined ? [] : [oneLine(line)]),
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${oneLine(name)}: ${oneLine(value)}`])),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${oneLine(name)}: ${oneLine([value].flat().join(', '))}`),
    ...texts.flatMap(({ label, text, isBinary }) =>
      text === '' ? [] : ['', oneLine(label), ...(isBinary === true ? ['(binary)'] : firstLines(text))],
    ),
  ];
}

function firstLines(text: string): readonly string[] {
  const lines = withoutControls(text.replaceAll('\r\n', '\n')).split('\n');
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`];
}

function scriptLines({ script }: Evidence): readonly string[] {
  if (script === undefined) return [];
  const errors = script.errors.map(({ message }) => oneLine(message));
  return [...errors, ...(script.jobLog ?? []).slice(-mostLines).map(({ msg }) => oneLine(msg))];
}
