// How results of HTTP requests are presented.
import type { Assertion, Evidence, EvidenceFacts, EvidenceSection, Format, PartOf } from '../../show.ts';
import type { httpResult } from './schema.ts';

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
