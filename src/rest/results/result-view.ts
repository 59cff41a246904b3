// Builds the content of a result page from the API response.
import type { LinkedPage } from '#actions/results/result-page.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';
import { typesWithAssets } from '#domain/results/asset.ts';
import { evidenceView } from './evidence-view.ts';
import type { ResultView, ViewedMessage } from './result-page.ts';
import { type ScriptView, scriptView } from './script-view.ts';

type HttpPart = NonNullable<CheckResultBody['urlCheckResult']>;
type LightPart = NonNullable<
  CheckResultBody['tcpCheckResult' | 'sslCheckResult' | 'dnsCheckResult' | 'icmpCheckResult']
>;
type ScriptPart = NonNullable<CheckResultBody['multiStepCheckResult' | 'browserCheckResult']>;
type Headers = NonNullable<NonNullable<HttpPart['response']>['headers']>;

const phaseNames: Readonly<Record<string, string>> = {
  wait: 'Redirects',
  dns: 'DNS',
  tcp: 'Connect',
  tls: 'TLS',
  firstByte: 'First byte',
  download: 'Download',
  data: 'Data',
  connect: 'Connect',
  answer: 'Answer',
};

/** The content of a result page. @param link the last path segment of its link */
export function resultView(shown: LinkedPage, link: string): ResultView {
  const { result, checkName, checkType, described: own, expiresAt, timeZone } = shown;
  // The contract describes its shape for each kind of check.
  const isPing = checkType === 'HEARTBEAT';
  const isScript = typesWithAssets.has(checkType);
  const part = isPing || isScript ? null : (own as HttpPart | LightPart | null);
  const script = isScript && own !== null ? scriptView(own as unknown as ScriptPart, shown, link) : null;
  return {
    checkName,
    outcome: result.outcome,
    message: script === null ? result.message : headOf(result.message, script),
    checkType,
    location: result.location,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    attempt: result.attempt,
    responseTimeMs: result.responseTimeMs,
    // The round trips of ICMP are no phases.
    phases: checkType === 'ICMP' ? [] : phasesOf(part),
    assertions: (part?.assertions ?? []).map(({ source, property, comparison, target, passed, problem, message }) => ({
      text: [words(source), property, words(comparison).toLowerCase(), target, unitOf(source)]
        .filter((part) => part !== '')
        .join(' '),
      passed,
      message: passed && problem === null ? null : message,
    })),
    request: part !== null && isHttp(part) ? requestOf(part) : null,
    response: part !== null && isHttp(part) ? responseOf(part) : null,
    evidence: evidenceView(checkType, own, shown.pingBody),
    script,
    pagePath: `/checks/${result.checkId}/results/${result.id}`,
    expiresAt,
    timeZone,
  };
}

/** Source and comparison of the assertion; the actual value is shown below in full. */
function headOf(message: string | null, { errors }: ScriptView): string | null {
  const place = errors[0]?.place ?? null;
  if (message === null || place === null) return message;
  const [head, ...rest] = message.split(`(${place})`);
  return rest.length === 0 ? message : `${head}(${place})`;
}

function isHttp(part: HttpPart | LightPart): part is HttpPart {
  return 'protocol' in part;
}

function phasesOf(part: HttpPart | LightPart | null): ResultView['phases'] {
  const phases = part && (isHttp(part) ? part.response?.timingPhases : part.timingPhases);
  return Object.entries(phases ?? {}).flatMap(([key, ms]) => {
    const name = phaseNames[key];
    return name === undefined || ms === 0 ? [] : [{ name, ms }];
  });
}

/** Times are compared in ms. */
function unitOf(source: string): string {
  return source === 'RESPONSE_TIME' || source === 'LATENCY' ? 'ms' : '';
}

/** `STATUS_CODE` as `Status code`. */
function words(name: string): string {
  const text = name.toLowerCase().replaceAll('_', ' ').replace('json', 'JSON');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function requestOf({ request }: HttpPart): ResultView['request'] {
  if (request === null) return null;
  return { line: `${request.method} ${request.url}`, headers: pairsOf(request.headers), body: request.data };
}

function responseOf({ response }: HttpPart): ResultView['response'] {
  // Without headers only the outcome is stored: the page shows status and phases elsewhere.
  if (!response || response.headers === null) return null;
  return {
    line: `${response.status} ${response.statusText ?? ''}`.trimEnd(),
    headers: pairsOf(response.headers),
    body: response.bodyEncoding === 'base64' ? `(binary, base64) ${response.body}` : (response.body ?? ''),
    isTruncated: response.truncated,
  };
}

function pairsOf(headers: Headers): ViewedMessage['headers'] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}
