// How results are presented: what several kinds have in common.
import type {
  Evidence,
  EvidenceFacts,
  EvidenceSection,
  ObservedValues,
  PartOf,
  ScriptEvidence,
  Assertion,
  Format,
} from '../show.ts';
import type { lightResult } from './schema.ts';
import type { scriptResult } from './scripted/schema.ts';
import type { httpResult } from './http/schema.ts';

interface LightPart extends PartOf<typeof lightResult> {
  readonly request: object | null;
  readonly response: object | null;
}

/**
 * @param values by source of assertions; without those that are absent
 * @param comparable facts besides the address
 */
export function lightEvidence(
  { request, response, address, ...part }: LightPart,
  section: Partial<EvidenceSection>,
  values: ObservedValues['values'] | null,
  comparable: EvidenceFacts = [],
): Evidence {
  return {
    ...part,
    ...(values !== null && { observed: { values, text: null } }),
    hasResponse: response !== null,
    sections: [{ title: 'Answer', note: part.requestError, isShort: request === null, ...section }],
    comparable: [...comparable, ['Address', address]],
  };
}

type ScriptPart = PartOf<typeof scriptResult> & Pick<ScriptEvidence, 'assets'>;

/** @param ofPages what the pages of a browser reported */
export function scriptEvidence(
  part: ScriptPart,
  ofPages: Pick<ScriptEvidence, 'pageLines' | 'webVitals'> = { pageLines: [], webVitals: [] },
): Evidence {
  return {
    script: { ...part, ...ofPages },
    sections: [],
    comparable: [
      ['Failed tests', `${part.failedTests} of ${part.tests}`],
      ['Runtime', part.runtimeVersion],
    ],
  };
}

type HttpPart = PartOf<typeof httpResult>;

interface Requesting {
  readonly request: { readonly method: string; readonly url: string; readonly assertions: readonly Assertion[] };
}

/** `GET https://shop.example/` */
export function httpRequest({ request: { method, url, assertions } }: Requesting) {
  return { target: `${method} ${url}`, assertions };
}

/** @param facts about the response besides the common ones */
export function httpEvidence(part: HttpPart, format: Format, facts: EvidenceFacts = []): Evidence {
  const { assertions, request, response, redirects, sizes, protocol, address, requestError } = part;
  const status = response && `${response.status} ${response.statusText ?? ''}`.trim();
  return {
    assertions,
    requestError,
    request,
    hasResponse: response !== null,
    timingPhases: response?.timingPhases ?? null,
    ...(response !== null && {
      observed: {
        values: { STATUS_CODE: response.status, ...(response.headers !== null && { HEADERS: response.headers }) },
        text: response.truncated || response.bodyEncoding !== undefined ? null : response.body,
      },
    }),
    sections: [responseSection(part, format, facts), ...(request === null ? [] : [requestSection(request)])],
    comparable: [
      ['Status', status ?? 'No response was received.'],
      ['Protocol', protocol && `HTTP/${protocol.http}`],
      ['TLS', protocol?.tls ?? null],
      ['Redirects', String(redirects.length)],
      ['Body size', response && format.bytes(sizes.decoded)],
      ['Address', address],
    ],
  };
}

function responseSection(part: HttpPart, { bytes }: Format, facts: EvidenceFacts): EvidenceSection {
  const { request, response, redirects, sizes, protocol, address, requestError } = part;
  const decoded = sizes.decoded === sizes.body ? '' : ` (${bytes(sizes.decoded)} decoded)`;
  return {
    title: 'Response',
    ...(response === null
      ? { note: requestError ?? 'No response was received.' }
      : { line: `${response.status} ${response.statusText ?? ''}`.trim() }),
    facts: [
      ['Address', address],
      ['Protocol', protocol && [`HTTP/${protocol.http}`, protocol.tls, protocol.cipher].filter(Boolean).join(', ')],
      ['Size', response && `${bytes(sizes.body)} body${decoded}, ${bytes(sizes.headers)} headers`],
      ...facts,
    ],
    redirects,
    headers: response?.headers ?? null,
    texts:
      response?.body == null
        ? []
        : [
            {
              label: 'Response: Body',
              text: response.body,
              isBody: true,
              isBinary: response.bodyEncoding === 'base64',
              isTruncated: response.truncated,
              isCompared: true,
            },
          ],
    isShort: request === null,
  };
}

function requestSection({ method, url, headers, data }: NonNullable<HttpPart['request']>): EvidenceSection {
  return {
    title: 'Request',
    line: `${method} ${url}`,
    headers,
    texts: data === '' ? [] : [{ label: 'Request: Body', text: data, isBody: true }],
  };
}
