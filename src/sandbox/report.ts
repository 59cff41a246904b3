// What a script's process tells on file descriptor 3, read as what it is: foreign text, a JSON object a line.
import { type AssetSort, assetSorts } from '#domain/results/asset.ts';
import type { JsonObject } from '#domain/json.ts';
import type { PageLine, ScriptError, ScriptLine, ScriptPlace, ScriptStep, ScriptWork } from '#domain/checks/script.ts';

/** A file that lies in the folder of a run's assets, as the run says. */
export interface ToldAsset {
  readonly sort: AssetSort;
  readonly name: string;
  /** Its name there; null = it was too large to be put there. */
  readonly file: string | null;
  readonly bytes: number | null;
  /** The script itself asked for it. */
  readonly isRequested: boolean;
  /** The script itself gave it its name. */
  readonly isNamed: boolean;
  /** Meant to be kept only if the run fails. */
  readonly isOfFailure: boolean;
}

/** What was told so far. */
export interface Report {
  readonly errors: ScriptError[];
  readonly steps: ScriptStep[];
  /** The step that is open; null = none that lasts. */
  openStep: ScriptError | null;
  readonly flaky: string[];
  readonly log: ScriptLine[];
  readonly pageLines: PageLine[];
  /** By the address of the page. */
  readonly pageVitals: Map<string, Record<string, number>>;
  readonly assets: ToldAsset[];
  /** What it has left of what it saw: of any shape. */
  left: JsonObject | null;
  testsMs: number | null;
  tests: number;
  failedTests: number;
  /** Its first code has run: from then on it answers for itself. */
  hasBegun: boolean;
  /** Told that nothing more comes. */
  isEnded: boolean;
}

/** More of each is dropped: who reads a result reads the first. */
const most = {
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

/** What is needed to read it. */
export interface ReportMeans {
  /** Epoch ms. */
  readonly startedAt: number;
  /** The script's folder by the name it has for itself: left out of every place and message. */
  readonly home: string;
  /** Takes out what must not be shown: before anything is cut, or half of it would stay. */
  readonly hide: (text: string) => string;
  /** Told of a value that `hide` is to hide from now on; null = one that is too long to be told. */
  readonly onSecret?: ScriptWork['onSecret'];
}

/** Adds one line to the report; what is not understood adds nothing. */
export function readReportLine(report: Report, line: string, means: ReportMeans): void {
  const told = parsed(line);
  switch (told['kind']) {
    case 'print':
      addLine(report, told['stream'] === 'stderr' ? 'stderr' : 'stdout', textOf(told['text']), means);
      break;
    case 'step':
      addStep(report, told, textOf(told['category']), means);
      break;
    case 'open':
      report.openStep = openStepOf(told, means);
      break;
    case 'flaky':
      if (report.flaky.length < most.flaky) report.flaky.push(shownText(textOf(told['title']), means).slice(0, 200));
      break;
    case 'test':
      addTest(report, told, means);
      break;
    case 'error':
      addError(report, told['error'], means);
      break;
    case 'page':
      addPageLine(report, told, means);
      break;
    case 'vital':
      addVital(report, told, means);
      break;
    case 'asset':
      addAsset(report, told, means);
      break;
    case 'left':
      // Not to be shown as it is: nothing is hidden in it, for it goes on its way.
      report.left = objectOf(told['left']) as JsonObject;
      break;
    case 'secret':
      means.onSecret?.(typeof told['value'] === 'string' ? told['value'] : null);
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
  means: ReportMeans,
  at = Date.now(),
): void {
  if (report.log.length >= most.lines || text === '') return;
  report.log.push({ atMs: Math.max(0, at - means.startedAt), stream, text: shownText(text, means) });
}

type Told = Readonly<Record<string, unknown>>;

function parsed(line: string): Told {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Told {
  return typeof value === 'object' && value !== null ? (value as Told) : {};
}

function addPageLine(report: Report, told: Told, means: ReportMeans): void {
  if (report.pageLines.length >= most.lines) return;
  report.pageLines.push({
    atMs: Math.max(0, Date.now() - means.startedAt),
    sort: told['sort'] === 'error' ? 'error' : 'console',
    level: means.hide(textOf(told['level'])).slice(0, 50),
    text: shownText(textOf(told['text']), means),
    url: means.hide(textOf(told['url'])).slice(0, most.url),
  });
}

const vitalNames = new Set(['TTFB', 'FCP', 'LCP', 'CLS']);

function addVital({ pageVitals }: Report, told: Told, { hide }: ReportMeans): void {
  const [url, name] = [hide(textOf(told['url'])).slice(0, most.url), textOf(told['name'])];
  if (!vitalNames.has(name) || (pageVitals.size >= most.pages && !pageVitals.has(url))) return;
  const digits = name === 'CLS' ? 4 : 1;
  pageVitals.set(url, { ...pageVitals.get(url), [name]: Number(numberOf(told['value']).toFixed(digits)) });
}

function addAsset({ assets }: Report, told: Told, { hide }: ReportMeans): void {
  const sort = assetSorts.find((each) => each === told['sort']);
  const file = textOf(told['file']);
  if (sort === undefined || assets.length >= most.assets) return;
  assets.push({
    sort,
    name: hide(textOf(told['name'])).slice(0, 200),
    // Nothing else is a name in that folder: no path, no link to somewhere else.
    file: /^[\da-f]{24}$/.test(file) ? file : null,
    bytes: typeof told['bytes'] === 'number' ? numberOf(told['bytes']) : null,
    isRequested: told['isRequested'] === true,
    isNamed: told['isNamed'] === true,
    isOfFailure: told['when'] !== 'always',
  });
}

function addTest(report: Report, told: Told, means: ReportMeans): void {
  const errors = Array.isArray(told['errors']) ? told['errors'] : [];
  if (told['ran'] !== false) report.tests++;
  if (told['ok'] !== true) report.failedTests++;
  report.testsMs = (report.testsMs ?? 0) + numberOf(told['durationMs']);
  for (const error of errors) addError(report, error, means);
  const message: unknown = objectOf(errors[0])['message'];
  addStep(report, { ...told, error: told['ok'] === true ? null : (message ?? 'failed') }, 'test', means);
}

function addStep(report: Report, told: Told, category: string, means: ReportMeans): void {
  if (report.steps.length >= most.steps) return;
  report.steps.push({
    title: titleOf(told['title'], category, means),
    category,
    startMs: Math.max(0, numberOf(told['startedAt']) - means.startedAt),
    durationMs: numberOf(told['durationMs']),
    error: typeof told['error'] === 'string' ? shownText(told['error'], means) : null,
    place: placeOf(told['location'], means),
  });
}

/** Of a request without its query: there may be anything in it. Cut here, because half of a hidden value would not be found. */
function titleOf(title: unknown, category: string, means: ReportMeans): string {
  const shown = shownText(textOf(title), means);
  return (category === 'request' ? shown.replace(/[?#].*/s, '') : shown).slice(0, 500);
}

function openStepOf(told: Told, means: ReportMeans): ScriptError | null {
  const message = titleOf(told['what'], textOf(told['category']), means);
  return message === '' ? null : { message, place: placeOf(told['location'], means) };
}

function addError(report: Report, value: unknown, means: ReportMeans): void {
  const { message, stack, location } = objectOf(value);
  if (report.errors.length >= most.errors) return;
  report.errors.push({
    message: shownText(textOf(message) || 'it failed without a message', means),
    place: placeOf(location, means) ?? placeInStack(textOf(stack), means),
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

function placeOf(value: unknown, { home }: ReportMeans): ScriptPlace | null {
  const { file, line, column } = objectOf(value);
  if (typeof file !== 'string' || file.length > most.path || typeof line !== 'number') return null;
  return { file: relative(file, home), line, column: numberOf(column) };
}

/** The first line of a stack that stands in a file of the script itself. */
function placeInStack(stack: string, { home }: ReportMeans): ScriptPlace | null {
  // Foreign text: whatever it is, looking through it must come to an end soon.
  for (const text of stack.slice(0, most.text).split('\n', most.stackLines)) {
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

/** Of our own, because that of Node.js takes hours over text that is made for it. */
// oxlint-disable-next-line no-control-regex -- what tells a terminal something
const colours = /(?:\u001B\[|\u009B)[0-?]{0,64}[ -/]{0,4}[@-~]|\u001B\][^\u0007\u001B]{0,1000}(?:\u0007|\u001B\\)/g;

/** Without the colours of a terminal and without our folders, cut to a bound. */
function shownText(text: string, { home, hide }: ReportMeans): string {
  const plain = hide(text.replace(colours, '')).replaceAll(`file://${home}/`, '').replaceAll(`${home}/`, '');
  return plain.length > most.text ? `${plain.slice(0, most.text)} …` : plain;
}
