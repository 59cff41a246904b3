// The request and response, in full if stored.
import type { ReactNode } from 'react';
import { CertificatePath } from '../../ui/checks/certificate.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { bytes, milliseconds } from '../../ui/text/format.ts';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { type HttpPart, httpPart, type Result } from '../../ui/checks/result-part.ts';
import { HeaderList } from '../../ui/layout/header-list.tsx';
import { prettyBody } from '../../ui/text/http-text.ts';
import { Ping } from './ping.tsx';
import { text } from './strings.ts';
import css from './result.module.css';

type FactList = Parameters<typeof Facts>[0]['facts'];

/** The exchange of a check that is not a script. */
export function Exchange({ result }: { readonly result: Result }) {
  const http = httpPart(result);
  if (http) return <HttpExchange part={http} />;
  if (result.tcpCheckResult) return <TcpExchange part={result.tcpCheckResult} />;
  if (result.dnsCheckResult) return <DnsExchange part={result.dnsCheckResult} />;
  if (result.icmpCheckResult) return <IcmpExchange part={result.icmpCheckResult} />;
  if (result.sslCheckResult) return <SslExchange part={result.sslCheckResult} />;
  if (result.heartbeatCheckResult) return <Ping result={result} part={result.heartbeatCheckResult} />;
  return null;
}

function HttpExchange({ part }: { readonly part: HttpPart }) {
  const { request, response, redirects, sizes, protocol, address } = part;
  const isStored = request !== null;
  const decoded = sizes.decoded === sizes.body ? null : bytes(sizes.decoded);
  return (
    <>
      <Section title={text.response}>
        <div className={css['stack']}>
          {response === null ? (
            <p>{part.requestError ?? text.noAnswer}</p>
          ) : (
            <p className={css['line']}>
              {response.status} {response.statusText}
            </p>
          )}
          <Facts
            facts={[
              ...known(text.address, address),
              ...known(
                text.protocol,
                protocol && [`HTTP/${protocol.http}`, protocol.tls, protocol.cipher].filter(Boolean).join(', '),
              ),
              ...(response === null
                ? []
                : [[text.size, text.sizes(bytes(sizes.body), decoded, bytes(sizes.headers))] as const]),
              ...('certificateProblem' in part ? known(text.certificateProblem, part.certificateProblem ?? null) : []),
            ]}
          />
          {redirects.length > 0 && (
            <ol className={css['redirects']} aria-label={text.redirects}>
              {redirects.map(({ status, location }, index) => (
                <li key={index} className="mono">
                  {status} → {location}
                </li>
              ))}
            </ol>
          )}
          {response?.headers && <HeaderList headers={response.headers} name={text.response} isOpen />}
          {response?.body != null && <Body response={response} />}
          {!isStored && <p className="quiet">{text.notStored}</p>}
        </div>
      </Section>
      {request !== null && (
        <Section title={text.request}>
          <div className={css['stack']}>
            <p className={css['line']}>
              {request.method} {request.url}
            </p>
            <HeaderList headers={request.headers} name={text.request} isOpen />
            {request.data !== '' && <Code label={`${text.request}: ${text.body}`} text={prettyBody(request.data)} />}
          </div>
        </Section>
      )}
    </>
  );
}

function Body({ response }: { readonly response: NonNullable<HttpPart['response']> }) {
  const { body, bodyEncoding, truncated } = response;
  if (body === null || body === '') return <p className="quiet">{text.emptyBody}</p>;
  return (
    <>
      {bodyEncoding === 'base64' && <p className="quiet">{text.binary}</p>}
      {truncated && <p className="quiet">{text.truncated}</p>}
      <Code
        label={`${text.response}: ${text.body}`}
        text={bodyEncoding === 'base64' || truncated ? body : prettyBody(body)}
      />
    </>
  );
}

function Light({
  title,
  facts,
  error,
  isStored,
  children,
}: {
  readonly title: string;
  readonly facts: FactList;
  readonly error: string | null;
  readonly isStored: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <Section title={title}>
      <div className={css['stack']}>
        {error !== null && <p>{error}</p>}
        {facts.length > 0 && <Facts facts={facts} />}
        {children}
        {!isStored && <p className="quiet">{text.notStored}</p>}
      </div>
    </Section>
  );
}

function known(name: string, value: string | null): FactList {
  return value === null || value === '' ? [] : [[name, value]];
}

function TcpExchange({ part }: { readonly part: NonNullable<Result['tcpCheckResult']> }) {
  const { request, response, address, requestError } = part;
  return (
    <Light
      title={text.answer}
      error={requestError}
      isStored={request !== null}
      facts={[
        ...known(text.request, request && `${request.hostname}:${request.port}`),
        ...known(text.address, address),
        ...known(text.size, response && bytes(response.bytes)),
      ]}
    >
      {request !== null && request.data !== '' && (
        <div>
          <h3>{text.sent}</h3>
          <Code label={text.sent} text={request.data} />
        </div>
      )}
      {response?.data !== undefined && (
        <div>
          <h3>{text.received}</h3>
          <Code label={text.received} text={response.data} />
        </div>
      )}
      {response?.truncated && <p className="quiet">{text.truncated}</p>}
    </Light>
  );
}

function DnsExchange({ part }: { readonly part: NonNullable<Result['dnsCheckResult']> }) {
  const { request, response, address, requestError } = part;
  return (
    <Light
      title={text.answer}
      error={requestError}
      isStored={request !== null}
      facts={[
        ...known(text.request, request && `${request.query} ${request.recordType}, ${request.protocol}`),
        ...known(text.address, address && request ? `${address}:${request.port}` : address),
        ...known(text.names.code, response && response.code),
        ...known(text.names.answers, response && String(response.answers)),
      ]}
    >
      {response?.text !== undefined && response.text !== '' && <Code label={text.names.answers} text={response.text} />}
      {response?.json !== undefined && (
        <details className={css['details']}>
          <summary>JSON</summary>
          <Code label="JSON" text={JSON.stringify(response.json, null, 2)} />
        </details>
      )}
    </Light>
  );
}

function IcmpExchange({ part }: { readonly part: NonNullable<Result['icmpCheckResult']> }) {
  const { request, response, address, requestError, timingPhases } = part;
  const latency = response?.latency;
  return (
    <Light
      title={text.answer}
      error={requestError}
      isStored={request !== null}
      facts={[
        ...known(text.request, request && request.hostname),
        ...known(text.address, address),
        ...(response
          ? [
              [text.packets, `${response.received} of ${response.sent} returned`] as const,
              [text.loss, `${response.packetLoss}%`] as const,
            ]
          : []),
        ...known(text.lookup, timingPhases?.['dns'] ? milliseconds(timingPhases['dns']) : null),
        ...(latency
          ? [
              [
                text.latency,
                `min ${milliseconds(latency.min)}, average ${milliseconds(latency.avg)}, max ${milliseconds(latency.max)}, deviation ${milliseconds(latency.stdDev)}`,
              ] as const,
            ]
          : []),
      ]}
    >
      {response?.replies !== undefined && response.replies.length > 0 && (
        <Code
          label={text.replies}
          text={response.replies.map(({ number, time }) => `#${number}  ${milliseconds(time)}`).join('\n')}
        />
      )}
    </Light>
  );
}

function SslExchange({ part }: { readonly part: NonNullable<Result['sslCheckResult']> }) {
  const { request, response, address, requestError } = part;
  return (
    <Light
      title={text.certificate}
      error={requestError}
      isStored
      facts={[
        ...known(text.request, request && `${request.hostname}:${request.port}, server name ${request.serverName}`),
        ...known(text.address, address),
      ]}
    >
      {response !== null && <CertificatePath seen={response} />}
    </Light>
  );
}
