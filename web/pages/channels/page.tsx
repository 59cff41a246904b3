// All channels with their health: what they receive, and whether it arrives.
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useMore } from '../../api/query.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './channels.module.css';

type Channel = AnswerOf<'listAlertChannels'>[number];

export function ChannelsPage() {
  const { write } = useMay();
  const channels = useMore('listAlertChannels');
  const create = write && <ButtonLink to="/channels/new">{text.create}</ButtonLink>;
  return (
    <>
      <PageHead title={text.title}>{create}</PageHead>
      {channels.error && channels.items === undefined ? (
        <LoadError error={channels.error} onRetry={() => void channels.refetch()} />
      ) : channels.items === undefined ? (
        <Skeleton lines={5} height={36} />
      ) : channels.items.length === 0 ? (
        <Empty title={text.emptyTitle}>
          <p>{write ? text.empty : text.readOnly}</p>
        </Empty>
      ) : (
        <>
          <Table
            label={text.title}
            rows={channels.items}
            keyOf={({ id }) => String(id)}
            columns={[
              {
                id: 'name',
                title: text.columns.name,
                isName: true,
                cell: ({ id }) => (
                  <Link to="/channels/$channelId" params={{ channelId: String(id) }} data-row>
                    <ChannelName id={id} />
                  </Link>
                ),
              },
              { id: 'state', title: text.columns.state, cell: (channel) => <Health channel={channel} /> },
              { id: 'receives', title: text.columns.receives, cell: receives },
              {
                id: 'subscribed',
                title: text.columns.subscribed,
                cell: ({ subscriptions, autoSubscribe }) =>
                  [text.subscribed(subscriptions.length), ...(autoSubscribe ? [text.everything] : [])].join(', '),
              },
            ]}
          />
          <More {...channels} shown={channels.items.length} />
        </>
      )}
    </>
  );
}

export function Health({ channel: { isFailing, failingSince } }: { readonly channel: Channel }) {
  if (!isFailing) return <span className={css['working']}>{text.working}</span>;
  return (
    <span className={css['failing']}>
      {text.failing} {failingSince !== null && <Ago at={failingSince} />}
    </span>
  );
}

function receives({ sendFailure, sendDegraded, sendRecovery, sslExpiry, report }: Channel): string {
  const all = [
    ...(sendFailure ? [text.failures] : []),
    ...(sendDegraded ? [text.degraded] : []),
    ...(sendRecovery ? [text.recoveries] : []),
    ...(sslExpiry ? [text.certificates] : []),
    ...(report === null ? [] : [text.reports(report.every)]),
  ].join(', ');
  return all === '' ? text.nothing : all.charAt(0).toUpperCase() + all.slice(1);
}
