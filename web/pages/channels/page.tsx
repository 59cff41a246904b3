// All channels with their health: what they receive, and whether it arrives.
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useMay } from '../../api/me.ts';
import { useMore } from '../../api/query.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { CheckName } from '../../ui/checks/check-name.tsx';
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
                cell: (channel) => <Subscribers channel={channel} />,
              },
            ]}
          />
          <More {...channels} shown={channels.items.length} />
        </>
      )}
    </>
  );
}

/** Whether it sends nothing: every alert is switched off, as after an import. */
export function isOff({ sendFailure, sendDegraded, sendRecovery, sslExpiry, report }: Channel): boolean {
  return !(sendFailure || sendDegraded || sendRecovery || sslExpiry) && report === null;
}

/** Whether its messages arrive, when one arrived last, and how many wait. */
export function Health({ channel }: { readonly channel: Channel }) {
  const { id, isFailing, failingSince, lastDeliveredAt, waitingDeliveries } = channel;
  return (
    <span className={css['health']}>
      {isFailing ? (
        <span className={css['failing']}>
          {text.failing} {failingSince !== null && <Ago at={failingSince} />}
        </span>
      ) : isOff(channel) ? (
        <span className={css['warning']}>{text.off}</span>
      ) : lastDeliveredAt === null ? (
        <span className="quiet">{text.unproven}</span>
      ) : (
        <span className={css['working']}>{text.working}</span>
      )}
      {lastDeliveredAt !== null && (
        <span className="quiet">
          {text.received} <Ago at={lastDeliveredAt} />
        </span>
      )}
      {waitingDeliveries > 0 && (
        <Link to="/deliveries" search={{ channel: id, status: 'pending' }}>
          {text.waiting(waitingDeliveries)}
        </Link>
      )}
    </span>
  );
}

/** Checks and groups that are named in the list. */
const maxNamed = 2;

function Subscribers({ channel: { subscriptions, autoSubscribe } }: { readonly channel: Channel }) {
  const groups = useAll('listCheckGroups');
  const on = subscriptions.filter(({ activated }) => activated);
  const more = on.length - maxNamed;
  if (on.length === 0) return <>{autoSubscribe ? text.onlyNew : text.subscribed(0)}</>;
  return (
    <span className={css['subscribers']}>
      {on.slice(0, maxNamed).map(({ id, checkId, groupId }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          {checkId === null ? (
            <Link to="/groups/$groupId" params={{ groupId: String(groupId) }} search={{}}>
              {groups.data?.find((group) => group.id === groupId)?.name ?? `${text.group} ${groupId}`}
            </Link>
          ) : (
            <CheckName checkId={checkId} />
          )}
        </span>
      ))}
      {more > 0 && text.more(more)}
      {autoSubscribe && `, ${text.everything}`}
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
