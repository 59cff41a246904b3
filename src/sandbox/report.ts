// Parses what a script's process writes to file descriptor 3: untrusted text, one JSON object per line.
import { type AssetSort, assetSorts } from '#domain/results/asset.ts';
import type { JsonObject } from '#domain/json.ts';
import type { PageLine, ScriptError, ScriptLine, ScriptPlace, ScriptStep, ScriptWork } from '#domain/checks/script.ts';

/** A file in the assets folder of a run, as reported by the run. */
export interface ReportedAsset {
  readonly sort: AssetSort;
  readonly name: string;
  /** File name; null = it was too large to store. */
  readonly file: string | null;
  readonly bytes: number | null;
  /** Whether the script requested it. */
  readonly isRequested: boolean;
  /** Whether the script named it. */
  readonly isNamed: boolean;
  /** Whether to store it only if the run fails. */
  readonly isOfFailure: boolean;
}

/** Reported data so far. */
export interface Report {
  readonly errors: ScriptError[];
  readonly steps: ScriptStep[];
  /** The current step; null = none. */
  openStep: ScriptError | null;
  readonly flaky: string[];
  readonly log: ScriptLine[];
  readonly pageLines: PageLine[];
  /** By page URL. */
  readonly pageVitals: Map<string, Record<string, number>>;
  readonly assets: ReportedAsset[];
  /** The resulting request or response, of any shape. */
  left: JsonObject | null;
  testsMs: number | null;
  tests: number;
  failedTests: number;
  /** Whether the script has started, so that errors are its own. */
  hasBegun: boolean;
  /** Whether the end was reported. */
  isEnded: boolean;
}

/** Limits; the rest is dropped. */
const max = {
  errors: 50,
  steps: 500,
  flaky: 10,
  lines: 1000,
  pages: 50,
  assets: 100,
  text: 16_384,
  url: 2000,
  path: 1000,
  stackLines: 50,
} as const;

export function emptyReport(): Report {
  return {
    errors: [],
    steps: [],
    openStep: null,
    flaky: [],
    log: [],
    pageLines: [],
    pageVitals: new Map(),
    assets: [],
    left: null,
    testsMs: null,
    tests: 0,
    failedTests: 0,
    hasBegun: false,
    isEnded: false,
  };
}

export interface ReportDeps {
  /** Epoch ms. */
  readonly startedAt: number;
  /** The script's folder as it sees it; removed from places and messages. */
  readonly home: string;
  /** Masks values. Applied before truncating, or part of a secret would remain. */
  readonly hide: (text: string) => string;
  /** Called with a value to mask from now on; null = too long to report. */
  readonly onSecret?: ScriptWork['onSecret'];
}

/** Adds a line to the report. Unknown lines are ignored. */
export function readReportLine(report: Report, line: string, deps: ReportDeps): void {
  const reported = parsed(line);
  switch (reported['kind']) {
    case 'print':
      addLine(report, reported['stream'] === 'stderr' ? 'stderr' : 'stdout', textOf(reported['text']), deps);
      break;
    case 'step':
      addStep(report, reported, textOf(reported['category']), deps);
      break;
    case 'open':
      report.openStep = openStepOf(reported, deps);
      break;
    case 'flaky':
      if (report.flaky.length < max.flaky) report.flaky.push(shownText(textOf(reported['title']), deps).slice(0, 200));
      break;
    case 'test':
      addTest(report, reported, deps);
      break;
    case 'error':
      addError(report, reported['error'], deps);
      break;
    case 'page':
      addPageLine(report, reported, deps);
      break;
    case 'vital':
      addVital(report, reported, deps);
      break;
    case 'asset':
      addAsset(report, reported, deps);
      break;
    case 'left':
      // Not masked, because it is used and not displayed.
      report.left = objectOf(reported['left']) as JsonObject;
      break;
    case 'secret':
      deps.onSecret?.(typeof reported['value'] === 'string' ? reported['value'] : null);
      break;
    case 'begin':
      report.hasBegun = true;
      break;
    case 'end':
      report.isEnded = true;
      break;
    default:
  }
}

/** Adds a piece of output. @param at epoch ms */
export function addLine(
  report: Report,
  stream: ScriptLine['stream'],
  text: string,
  deps: ReportDeps,
  at = Date.now(),
): void {
  if (report.log.length >= max.lines || text === '') return;
  report.log.push({ atMs: Math.max(0, at - deps.startedAt), stream, text: shownText(text, deps) });
}

type Notified = Readonly<Record<string, unknown>>;

function parsed(line: string): Notified {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Notified {
  return typeof value === 'object' && value !== null ? (value as Notified) : {};
}

function addPageLine(report: Report, reported: Notified, deps: ReportDeps): void {
  if (report.pageLines.length >= max.lines) return;
  report.pageLines.push({
    atMs: Math.max(0, Date.now() - deps.startedAt),
    sort: reported['sort'] === 'error' ? 'error' : 'console',
    level: deps.hide(textOf(reported['level'])).slice(0, 50),
    text: shownText(textOf(reported['text']), deps),
    url: deps.hide(textOf(reported['url'])).slice(0, max.url),
  });
}

const vitalNames = new Set(['TTFB', 'FCP', 'LCP', 'CLS']);

function addVital({ pageVitals }: Report, reported: Notified, { hide }: ReportDeps): void {
  const [url, name] = [hide(textOf(reported['url'])).slice(0, max.url), textOf(reported['name'])];
  if (!vitalNames.has(name) || (pageVitals.size >= max.pages && !pageVitals.has(url))) return;
  const digits = name === 'CLS' ? 4 : 1;
  pageVitals.set(url, { ...pageVitals.get(url), [name]: Number(numberOf(reported['value']).toFixed(digits)) });
}

function addAsset({ assets }: Report, reported: Notified, { hide }: ReportDeps): void {
  const sort = assetSorts.find((each) => each === reported['sort']);
  const file = textOf(reported['file']);
  if (sort === undefined || assets.length >= max.assets) return;
  assets.push({
    sort,
    name: hide(textOf(reported['name'])).slice(0, 200),
    // Only generated names: no paths, no links.
    file: /^[\da-f]{24}$/.test(file) ? file : null,
    bytes: typeof reported['bytes'] === 'number' ? numberOf(reported['bytes']) : null,
    isRequested: reported['isRequested'] === true,
    isNamed: reported['isNamed'] === true,
    isOfFailure: reported['when'] !== 'always',
  });
}

function addTest(report: Report, reported: Notified, deps: ReportDeps): void {
  const errors = Array.isArray(reported['errors']) ? reported['errors'] : [];
  if (reported['ran'] !== false) report.tests++;
  if (reported['ok'] !== true) report.failedTests++;
  report.testsMs = (report.testsMs ?? 0) + numberOf(reported['durationMs']);
  for (const error of errors) addError(report, error, deps);
  const message: unknown = objectOf(errors[0])['message'];
  addStep(report, { ...reported, error: reported['ok'] === true ? null : (message ?? 'failed') }, 'test', deps);
}

function addStep(report: Report, reported: Notified, category: string, deps: ReportDeps): void {
  if (report.steps.length >= max.steps) return;
  report.steps.push({
    title: titleOf(reported['title'], category, deps),
    category,
    startMs: Math.max(0, numberOf(reported['startedAt']) - deps.startedAt),
    durationMs: numberOf(reported['durationMs']),
    error: typeof reported['error'] === 'string' ? shownText(reported['error'], deps) : null,
    place: placeOf(reported['location'], deps),
  });
}

/**
 * Removes the query of a request, which may contain anything. Removed here, because masking would not recognize part of
 * a value.
 */
function titleOf(title: unknown, category: string, deps: ReportDeps): string {
  const shown = shownText(textOf(title), deps);
  return (category === 'request' ? shown.replace(/[?#].*/s, '') : shown).slice(0, 500);
}

function openStepOf(reported: Notified, deps: ReportDeps): ScriptError | null {
  const message = titleOf(reported['what'], textOf(reported['category']), deps);
  return message === '' ? null : { message, place: placeOf(reported['location'], deps) };
}

function addError(report: Report, value: unknown, deps: ReportDeps): void {
  const { message, stack, location } = objectOf(value);
  if (report.errors.length >= max.errors) return;
  report.errors.push({
    message: shownText(textOf(message) || 'it failed without a message', deps),
    place: placeOf(location, deps) ?? placeInStack(textOf(stack), deps),
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

function placeOf(value: unknown, { home }: ReportDeps): ScriptPlace | null {
  const { file, line, column } = objectOf(value);
  if (typeof file !== 'string' || file.length > max.path || typeof line !== 'number') return null;
  return { file: relative(file, home), line, column: numberOf(column) };
}

/** Returns the first stack frame in the script's files. */
function placeInStack(stack: string, { home }: ReportDeps): ScriptPlace | null {
  // The text is untrusted, so limit its length before parsing.
  for (const text of stack.slice(0, max.text).split('\n', max.stackLines)) {
    const found = /(?:\(|at )(?:file:\/\/)?(\/[^()]{0,1000}?):(\d{1,9}):(\d{1,9})/.exec(text);
    const [, path = '', line, column] = found ?? [];
    if (!path.startsWith(`${home}/`) || path.includes('/node_modules/')) continue;
    return { file: relative(path, home), line: Number(line), column: Number(column) };
  }
  return null;
}

function relative(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path;
}

/** Our own pattern, because that of Node.js takes hours on malicious text. */
// oxlint-disable-next-line no-control-regex -- terminal control sequences
const colours = /(?:\u001B\[|\u009B)[0-?]{0,64}[ -/]{0,4}[@-~]|\u001B\][^\u0007\u001B]{0,1000}(?:\u0007|\u001B\\)/g;

/** Removes terminal colors and our folder names, and truncates. */
function shownText(text: string, { home, hide }: ReportDeps): string {
  const plain = hide(text.replace(colours, '')).replaceAll(`file://${home}/`, '').replaceAll(`${home}/`, '');
  return plain.length > max.text ? `${plain.slice(0, max.text)} …` : plain;
}
