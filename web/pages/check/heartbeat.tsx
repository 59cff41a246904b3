// Heartbeats: the ping URL, how jobs call it, and the latest pings.
import { useState } from 'react';
import type { CalledShow } from '#checks/show.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './check.module.css';

type Ping = AnswerOf<'listHeartbeatEvents'>['events'][number];

interface PingUrlProps {
  /** null = hidden from this user. */
  readonly url: string | null;
  readonly snippets: CalledShow['snippets'];
}

export function PingUrl({ url, snippets: snippetsOf }: PingUrlProps) {
  const [shown, setShown] = useState('');
  if (url === null) {
    return (
      <Section title={text.ping}>
        <p className="quiet">{text.pingHidden}</p>
      </Section>
    );
  }
  const snippets = snippetsOf(url);
  const snippet = snippets.find(({ title }) => title === shown) ?? snippets[0];
  return (
    <Section title={text.ping}>
      <div className={css['stack']}>
        <p className="quiet">{text.pingHelp}</p>
        <Code label={text.pingAddress} text={url} />
        <div className={css['snippet']}>
          <Choice
            label={text.snippet}
            value={snippet?.title ?? ''}
            options={snippets.map(({ title }) => [title, title] as const)}
            onChange={setShown}
          />
        </div>
        <Code label={text.command} text={snippet?.code ?? ''} />
      </div>
    </Section>
  );
}

export function Pings({ checkId }: { readonly checkId: string }) {
  const pings = useRead('listHeartbeatEvents', { params: { checkId } });
  return (
    <Section title={text.pings}>
      {pings.error && pings.data === undefined ? (
        <LoadError error={pings.error} onRetry={() => void pings.refetch()} />
      ) : pings.data === undefined ? (
        <Skeleton lines={4} />
      ) : pings.data.events.length === 0 ? (
        <Empty title={text.noPings}>
          <p>{text.noPingsHelp}</p>
        </Empty>
      ) : (
        <Table
          label={text.pings}
          rows={pings.data.events}
          keyOf={({ id }) => id}
          columns={[
            { id: 'signal', title: text.signal, isName: true, cell: signalOf },
            {
              id: 'received',
              title: text.received,
              cell: ({ receivedAt }) => (
                <span>
                  <At at={receivedAt} />{' '}
                  <span className="quiet">
                    <Ago at={receivedAt} />
                  </span>
                </span>
              ),
            },
            { id: 'timing', title: text.timing, cell: ({ state }) => text.pingStates[state] },
            {
              id: 'from',
              title: text.from,
              cell: ({ method, userAgent, source }) => [method, source ?? userAgent].filter(Boolean).join(' · '),
            },
            { id: 'body', title: text.body, cell: (ping) => <PingBody ping={ping} /> },
          ]}
        />
      )}
    </Section>
  );
}

function signalOf({ signal, exitCode }: Ping) {
  const word = exitCode === null ? text.signals[signal] : `${text.signals.exit} ${exitCode}`;
  const isBad = signal === 'fail' || signal === 'missing' || (exitCode ?? 0) !== 0;
  return <span className={isBad ? css['bad'] : undefined}>{word}</span>;
}

function PingBody({ ping: { body } }: { readonly ping: Ping }) {
  if (body === null || body === '') return <span className="quiet">{text.noValue}</span>;
  const [first = '', ...rest] = body.split('\n');
  if (rest.length === 0 && first.length <= 80) return <code>{first}</code>;
  return (
    <details className={css['details']}>
      <summary>
        <code>{first.slice(0, 80)}</code>
      </summary>
      <Code label={text.body} text={body} />
    </details>
  );
}
