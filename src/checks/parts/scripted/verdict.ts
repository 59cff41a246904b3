// The verdict of a script run, with the failed assertion as written and its place.
import { handshakeWords, trustHint } from '#lib/net/tls-words.ts';
import type { Reason, Verdict } from '#domain/results/result.ts';
import type { ScriptError, ScriptFile, ScriptLimit, ScriptLimits, ScriptOutcome } from '#domain/checks/script.ts';

export interface ScriptVerdict {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  readonly message: string | null;
}

/** Masks values in a text. Apply it before truncating, or part of a secret would remain. */
type Hide = (text: string) => string;

/** Judges the outcome of a script (docs/decisions/0082). */
export function judgeScript(
  outcome: ScriptOutcome,
  limits: ScriptLimits,
  files: readonly ScriptFile[],
  hide: Hide,
): ScriptVerdict {
  const { ending, errors, tests, problem } = outcome;
  if (ending === 'stopped') return unknown('the script was stopped before it finished');
  if (ending === 'crashed') return unknown(problem ?? 'the script could not be run');
  if (outcome.isResolverDown === true) return { verdict: 'unknown', reason: 'resolver', message: noResolver };
  if (ending === 'deadline' && isStarved(outcome, limits)) return starved(outcome, limits);
  if (ending !== 'ended') {
    const { openStep } = outcome;
    const at = openStep === null ? '' : `; it stopped at ${sentenceOf(openStep, files, hide)}`;
    return { verdict: 'failed', reason: ending, message: `${passedLimit(ending, limits)}${at}` };
  }
  // After a test timeout, the second error says what the test was waiting for.
  const error = isTestLate(errors) ? errors[1] : errors[0];
  if (error !== undefined) {
    const more = errors.length - 1;
    const others = more > 0 ? ` (and ${more} more ${more === 1 ? 'error' : 'errors'})` : '';
    const said = `${sentenceOf(error, files, hide)}${others}`;
    const limit = limitOf(errors);
    // The limit is in the first error, which may not be the reported one.
    const isNotified = limit === null || error === errors[0];
    const message = isNotified ? said : `${said}; ${limit}`;
    const hint = unknownCa.test(error.message) ? `. ${trustHint}` : '';
    return { verdict: 'failed', reason: reasonOf(errors), message: message + hint };
  }
  if (outcome.failedTests > 0)
    return { verdict: 'failed', reason: 'script', message: 'a test failed without a message' };
  if (tests === 0) return { verdict: 'failed', reason: 'settings', message: 'the script has no test to run' };
  return { verdict: 'passed', reason: null, message: null };
}

/** Whether a script waited for a processor for half of its time, so that its limit says nothing about it. */
function isStarved({ waitedMs = 0 }: ScriptOutcome, { wallClockMs }: ScriptLimits): boolean {
  return waitedMs >= wallClockMs / 2;
}

function starved({ waitedMs = 0 }: ScriptOutcome, { wallClockMs }: ScriptLimits): ScriptVerdict {
  const spoken = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const message = `no verdict: the script waited for a processor for ${spoken(waitedMs)} of its ${spoken(wallClockMs)}`;
  return { verdict: 'unknown', reason: 'observer-slow', message };
}

const noResolver =
  'no verdict: the script failed while a name could not be resolved, because no name server of this machine answers';

function unknown(message: string): ScriptVerdict {
  return { verdict: 'unknown', reason: 'crashed', message };
}

function passedLimit(limit: ScriptLimit, limits: ScriptLimits): string {
  const megabytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MB`;
  const passed: Record<ScriptLimit, string> = {
    deadline: `${limits.wallClockMs / 1000} s`,
    memory: `${megabytes(limits.memoryBytes)} of memory`,
    processes: `${limits.processes} processes`,
    output: `${megabytes(limits.outputBytes)} of output`,
    disk: `${megabytes(limits.diskBytes)} on disk`,
  };
  return `the script was stopped: it ${limit === 'deadline' ? 'took' : 'used'} more than ${passed[limit]}`;
}

/** Messages of Node.js and Chromium. */
const unknownCa =
  /unable to (?:verify the first|get (?:local )?issuer) certificate|self-signed certificate in certificate chain|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|SELF_SIGNED_CERT_IN_CHAIN|ERR_CERT_AUTHORITY_INVALID/;

/** Playwright calls that wait for the target's response. Others wait for the page to show or do something. */
const asking =
  /^(?:\w*Error: )?(?:apiRequestContext\.|(?:page|frame)\.(?:goto|reload|goBack|goForward|waitForURL|waitForNavigation|waitForLoadState|waitForResponse)\b)/;
const late = /^(?:\w*Error: )?\w+\.\w+: (?:Timeout \d+ms|Test timeout of \d+ms) exceeded/;
const ofTest = /: Test timeout of \d+ms exceeded/;

/** Network errors get the same class as in other checks (connection/fault.ts), so that retry strategies can use it. */
const reasonsByText: readonly (readonly [RegExp, Reason])[] = [
  [/^Test timeout exceeded|^the tests took more than [\d.]+ s in total/, 'deadline'],
  [/\brefused by the egress policy: /, 'egress-refused'],
  [/\bexpect\(|AssertionError|Expected:/, 'assertion'],
  [/\b(?:ENOTFOUND|EAI_AGAIN|ERR_NAME_NOT_RESOLVED)\b/, 'dns'],
  [
    /\b(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_CONNECTION_(?:REFUSED|FAILED|TIMED_OUT)|ERR_ADDRESS_UNREACHABLE|ERR_SOCKS_CONNECTION_FAILED)\b/,
    'connect',
  ],
  [
    /\b(?:ECONNRESET|ECONNABORTED|EPIPE|socket hang up|other side closed|ERR_CONNECTION_(?:RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE)\b|Client network socket disconnected/,
    'reset',
  ],
  [
    /\b(?:CERT_|ERR_CERT_|ERR_SSL_|ERR_TLS_|EPROTO\b|SSL routines:|self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate|certificate (?:has expired|is not yet valid|revoked)|Hostname\/IP does not match certificate's altnames)/,
    'tls',
  ],
  // A polling expectation that is not about the network.
  [/\bTimeout \d+ms exceeded while waiting on the predicate/, 'assertion'],
  [
    /\bERR_TIMED_OUT\b|\b(?:Connect|Headers|Body) Timeout Error\b|\baborted due to timeout\b|\bTimeout \d+ms exceeded|Test timeout of \d+ms exceeded/,
    'timeout',
  ],
];

function isTestLate([first, next]: readonly ScriptError[]): boolean {
  return /^Test timeout of \d+ms exceeded/.test(first?.message ?? '') && ofTest.test(next?.message ?? '');
}

/** Formats the time limit of all tests, if it cut a test short; otherwise null. */
function limitOf([first]: readonly ScriptError[]): string | null {
  return (
    /^Test timeout (?:of \d+ms )?exceeded: (the tests of a run share [\d.]+ s)/.exec(first?.message ?? '')?.[1] ?? null
  );
}

function reasonOf(errors: readonly ScriptError[]): Reason {
  const [first, next] = errors;
  // Regardless of what it was waiting for, which may have no timeout.
  if (limitOf(errors) !== null) return 'deadline';
  const message = first?.message ?? '';
  if (isWaiting(message) || (isTestLate(errors) && isWaiting(next?.message ?? ''))) return 'script';
  return reasonsByText.find(([pattern]) => pattern.test(message))?.[1] ?? 'script';
}

/** Whether it timed out waiting for something on a page. */
function isWaiting(message: string): boolean {
  return late.test(message) && !asking.test(message);
}

/** OpenSSL's own text, as in `write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…`. */
const openSsl = /(?:\w+ EPROTO )?[\dA-F]+:error:[\dA-F]+:SSL routines:[^:\n]*:([^:\n]+)[^\n]*/g;

function withoutOpenSsl(message: string): string {
  return message.replace(openSsl, (_, reason: string) =>
    handshakeWords(`ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`),
  );
}

/** Messages of Node.js and of Playwright's loader. */
const missingModule = /(Cannot find (package|module) '([^'\n]+)')(?:( imported from) [^\n]*|\s+Require stack:[\s\S]*)/;

/** Says what to do about a missing package or file, in place of where it was looked for. */
function withoutLookup(message: string): string {
  return message.replace(missingModule, (_, found: string, what: string, name: string, isImport?: string) => {
    const isFile = /^[./]/.test(name) || (what === 'module' && isImport !== undefined);
    return `${found}: ${isFile ? 'add the file to the check' : 'the runtime does not include it'}`;
  });
}

const maxDetail = 500;

function sentenceOf({ message, place }: ScriptError, files: readonly ScriptFile[], hide: Hide): string {
  // The errors of a result contain Playwright's log.
  const [before = ''] = hide(withoutLookup(withoutOpenSsl(message))).split(/\n\s*Call log:/);
  const lines = before
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const [first = 'it failed', ...rest] = lines;
  const head = first.replace(/^Error: /, '');
  if (place === null) return cut([head, ...rest].join(' '));
  const where = `${place.file}:${place.line}`;
  const written = statementAt(files, place, hide);
  // The author's own message says more than that of the assertion library.
  const isExpectation = /^expect\(|^expect\.|^AssertionError/.test(head);
  const said = cut(isExpectation && rest.length > 0 ? rest.join(', ') : [head, ...rest].join(' '));
  return written === null ? `${said} (${where})` : `${written} (${where}): ${said}`;
}

function cut(text: string): string {
  return text.length > maxDetail ? `${text.slice(0, maxDetail)} …` : text;
}

const statementLines = 10;

/** Returns the statement at or ending at a place: its line and those before it until brackets balance. */
function statementAt(
  files: readonly ScriptFile[],
  { file, line }: NonNullable<ScriptError['place']>,
  hide: Hide,
): string | null {
  const lines = files.find(({ path }) => path === file)?.content.split('\n');
  if (lines === undefined) return null;
  const taken: string[] = [];
  for (let index = line - 1; index >= 0 && taken.length < statementLines; index--) {
    taken.unshift(lines[index]?.trim() ?? '');
    if (opened(taken.join('\n')) >= 0) break;
  }
  const statement = hide(taken.join(' ')).trim();
  return statement === '' ? null : statement.replace(/;$/, '').slice(0, 300);
}

function opened(text: string): number {
  return text.replace(/[^([{]/g, '').length - text.replace(/[^)\]}]/g, '').length;
}
