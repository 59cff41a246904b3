// Builds the evidence of a result page for kinds without an HTTP exchange: what was asked, seen or pinged.
import type { CheckResultBody } from '#contract/results/check-result.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { milliseconds } from './times.ts';

/** Evidence of a result page. Texts are untrusted. */
export interface EvidenceView {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The received data for display. */
  readonly text: string;
  /** Stands before the assertions, because the result is about it. */
  readonly isFirst: boolean;
  /** Only the outcome is stored. */
  readonly isShort: boolean;
}

type Part<Name extends keyof CheckResultBody> = NonNullable<CheckResultBody[Name]>;
type Facts = EvidenceView['facts'];
type Described = Readonly<Record<string, unknown>>;

/**
 * @param described the member of the check type; null = a missed run
 * @param pingBody of a heartbeat
 * @returns null for other kinds
 */
export function evidenceView(type: CheckType, described: Described | null, pingBody: string): EvidenceView | null {
  // The contract describes its shape for each kind of check.
  const view = described === null ? undefined : views[type];
  return view === undefined ? null : { text: pingBody, isFirst: false, isShort: false, ...view(described as never) };
}

type View = Pick<EvidenceView, 'title' | 'facts'> & Partial<EvidenceView>;

const views: Partial<Record<CheckType, (described: never) => View>> = {
  TCP: ({ request, response, address }: Part<'tcpCheckResult'>) => ({
    title: 'Answer',
    facts: known([
      ['Request', request && `${request.hostname}:${request.port}`],
      ['Sent', request && request.data],
      ['Address', address],
      ['Size', response && `${response.bytes} bytes`],
    ]),
    text: response?.data ?? '',
    isShort: request === null,
  }),
  DNS: ({ request, response, address }: Part<'dnsCheckResult'>) => ({
    title: 'Answer',
    facts: known([
      ['Request', request && `${request.query} ${request.recordType}, ${request.protocol}`],
      ['Name server', address],
      ['Response code', response && response.code],
      ['Records', response && String(response.answers)],
    ]),
    text: response?.text ?? '',
    isShort: request === null,
  }),
  ICMP: ({ request, response, address }: Part<'icmpCheckResult'>) => ({
    title: 'Pings',
    facts: known([
      ['Host', request && request.hostname],
      ['Address', address],
      ['Packets', response && `${response.received} of ${response.sent} returned, ${response.packetLoss}% lost`],
      ['Round trip', response && latencyOf(response.latency)],
    ]),
    text: (response?.replies ?? []).map(({ number, time }) => `#${number}  ${milliseconds(time)}`).join('\n'),
    isShort: request === null,
  }),
  SSL: ({ request, response, address }: Part<'sslCheckResult'>) => ({
    title: 'Certificate',
    facts: [
      ...(response === null ? [] : certificateFacts(response)),
      ...known([
        ['Request', request && `${request.hostname}:${request.port}, server name ${request.serverName}`],
        ['Address', address],
      ]),
    ],
    isFirst: true,
  }),
  HEARTBEAT: ({ signal, exitCode, state, source, userAgent }: Part<'heartbeatCheckResult'>) => ({
    title: 'Ping',
    facts: known([
      ['Reported', signal === 'exit' ? `Exit code ${exitCode}` : signals[signal]],
      ['Timing', state === null ? null : timings[state]],
      ['From', source],
      ['Program', userAgent],
    ]),
  }),
};

const signals = {
  ping: 'Success',
  start: 'Start',
  fail: 'Failure',
  log: 'Log entry',
  missing: 'Nothing: no ping was received',
} as const;

const timings = {
  EARLY: 'On time',
  GRACE: 'Late, within the grace period',
  LATE: 'Late, after the grace period',
  RECEIVED: null,
  FAILING: null,
} as const;

type Latency = NonNullable<Part<'icmpCheckResult'>['response']>['latency'];

function latencyOf(latency: Latency): string | null {
  if (latency === null) return null;
  const { min, avg, max } = latency;
  return `min ${milliseconds(min)}, average ${milliseconds(avg)}, max ${milliseconds(max)}`;
}

function certificateFacts({
  certificate,
  connection,
  revocation,
}: NonNullable<Part<'sslCheckResult'>['response']>): Facts {
  const { subjectCN, issuerCN, validFrom, validTo, daysUntilExpiry: days, selfSigned, sans } = certificate;
  const left = days < 0 ? `expired ${-days} days ago` : `${days} days left`;
  const status = revocation?.status ?? connection.ocspStatus ?? 'unknown';
  const unknown = `Not checked${revocation?.problem == null ? '' : `: ${revocation.problem}`}`;
  return known([
    ['Names', [...new Set([subjectCN, ...sans])].filter((name) => name !== null).join(', ')],
    ['Issuer', selfSigned ? 'Self-signed' : (issuerCN ?? 'Unnamed')],
    ['Valid', `${validFrom.slice(0, 10)} to ${validTo.slice(0, 10)}, ${left}`],
    ['Chain', connection.chainTrusted ? 'Trusted' : 'Not trusted'],
    ['Name', connection.hostnameVerified ? 'Matches the host' : 'Does not match the host'],
    ['Connection', `${connection.tlsVersion}, ${connection.cipherSuite}`],
    [
      'Key',
      [certificate.keyAlgorithm, certificate.keySizeBits && `${certificate.keySizeBits} bit`]
        .filter(Boolean)
        .join(', '),
    ],
    ['Revocation', status === 'good' ? 'Not revoked' : status === 'revoked' ? 'Revoked' : unknown],
    ['Serial number', certificate.serialNumber],
    ['SHA-256', certificate.fingerprintSha256],
    ['SHA-256 of the issuer', certificate.issuerFingerprintSha256],
  ]);
}

/** Facts without those that are not known. */
function known(facts: readonly (readonly [string, string | null])[]): Facts {
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value] as const]));
}
