// What the page of a result shows, made from the result as the API shows it.
import type { ShownResult } from '#actions/check-results.ts';
import { type CheckResultBody, resultParts } from '#contract/check-result.ts';
import type { ResultView, ViewedMessage } from './result-page.ts';

type ApiCheckResult = NonNullable<CheckResultBody['urlCheckResult']>;
type Headers = NonNullable<NonNullable<ApiCheckResult['response']>['headers']>;

const phaseNames: Readonly<Record<string, string>> = {
  wait: 'Redirects',
  dns: 'DNS',
  tcp: 'Connect',
  tls: 'TLS',
  firstByte: 'First byte',
  download: 'Download',
};

/** The view of a result; `expiresAt`: when its link ends, epoch ms. */
export function resultView({
  result,
  checkName,
  checkType,
  described,
  expiresAt,
}: ShownResult & { expiresAt: number }): ResultView {
  const api = (described[resultParts[checkType]] ?? null) as ApiCheckResult | null;
  return {
    checkName,
    outcome: result.outcome,
    message: result.message,
    location: result.location,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    attempt: result.attempt,
    responseTimeMs: result.responseTimeMs,
    phases: phasesOf(api),
    assertions: (api?.assertions ?? []).map(({ source, property, comparison, target, passed, message }) => ({
      text: [source, property, comparison, target].filter((part) => part !== '').join(' '),
      passed,
      message: passed ? null : message,
    })),
    request: requestOf(api),
    response: responseOf(api),
    expiresAt,
  };
}

function phasesOf(api: ApiCheckResult | null): ResultView['phases'] {
  return Object.entries(api?.response?.timingPhases ?? {}).flatMap(([key, ms]) => {
    const name = phaseNames[key];
    return name === undefined || ms === 0 ? [] : [{ name, ms }];
  });
}

function requestOf(api: ApiCheckResult | null): ResultView['request'] {
  const request = api?.request;
  if (!request) return null;
  return { line: `${request.method} ${request.url}`, headers: pairsOf(request.headers), body: request.data };
}

function responseOf(api: ApiCheckResult | null): ResultView['response'] {
  const response = api?.response;
  // Without headers only the outcome was kept: status and phases stand elsewhere on the page.
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
