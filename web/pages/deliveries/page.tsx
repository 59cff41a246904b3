// The log of deliveries.
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { use, useState } from 'react';
import { AccountContext } from '../../api/account.ts';
import { useMay } from '../../api/me.ts';
import { useAll } from '../../api/all.ts';
import { read, useMore, useWrite } from '../../api/query.ts';
import { deliveryWords } from '../../ui/alerts/alert-words.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckName } from '../../ui/checks/check-name.tsx';
import { ChannelName, useChannelNames } from '../../ui/alerts/channels.tsx';
import { DeliveryStatus, filterWords } from '../../ui/alerts/delivery-status.tsx';
import { Storm } from '../../ui/alerts/storm.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { More } from '../../ui/controls/more.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { type Range, ranges, rangeStart } from '../../ui/text/range.ts';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import type { DeliveriesSearch } from './search.ts';
import { text } from './strings.ts';

export function DeliveriesPage() {
  const search = useSearch({ from: '/shell/deliveries' });
  const { status, channel, from, to } = search;
  const deliveries = useMore('listDeliveries', {
    query: {
      ...(status !== undefined && { status }),
      ...(channel !== undefined && { alertChannelId: channel }),
      ...(from !== undefined && to !== undefined && { from, to }),
    },
  });
  const isFiltered = status !== undefined || channel !== undefined || from !== undefined;
  return (
    <>
      <PageHead title={text.title}>
        <Storm className="quiet" />
        <DeliveryFilters search={search} />
      </PageHead>
      {deliveries.error && deliveries.items === undefined ? (
        <LoadError error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      ) : deliveries.items === undefined ? (
        <Skeleton lines={8} height={36} />
      ) : deliveries.items.length === 0 ? (
        <Empty title={text.emptyTitle}>
          <p>{isFiltered ? text.noMatch : text.empty}</p>
        </Empty>
      ) : (
        <>
          <DeliveryTable deliveries={deliveries.items} />
          <More {...deliveries} shown={deliveries.items.length} />
        </>
      )}
    </>
  );
}

function DeliveryFilters({ search }: { readonly search: DeliveriesSearch }) {
  const navigate = useNavigate({ from: '/deliveries' });
  const channels = useAll('listAlertChannels');
  const nameOf = useChannelNames();
  const { write } = useMay();
  const [isAsking, setAsking] = useState(false);
  const { status: _status, ...withoutStatus } = search;
  const { channel: _channel, ...withoutChannel } = search;
  const { from, to, ...withoutTime } = search;
  const { status, channel } = search;
  const set = (next: DeliveriesSearch): void => void navigate({ search: next, replace: true });
  return (
    <>
      {from !== undefined && to !== undefined && (
        <Button onPress={() => set(withoutTime)}>
          <At at={from} /> – <At at={to} /> <X size={14} aria-label={text.anyTime} />
        </Button>
      )}
      <Choice
        label={text.status}
        isLabelHidden
        value={status ?? ''}
        options={[['', text.anyStatus], ...Object.entries(filterWords)]}
        onChange={(value) =>
          set({ ...withoutStatus, ...(value !== '' && { status: value as NonNullable<typeof status> }) })
        }
      />
      <Choice
        label={text.channel}
        isLabelHidden
        value={channel === undefined ? '' : String(channel)}
        options={[['', text.anyChannel], ...(channels.data ?? []).map(({ id }) => [String(id), nameOf(id)] as const)]}
        onChange={(value) => set({ ...withoutChannel, ...(value !== '' && { channel: Number(value) }) })}
      />
      {write && channel !== undefined && (
        <>
          <Button onPress={() => setAsking(true)}>{text.replayAll}</Button>
          <ReplayAll channel={channel} isOpen={isAsking} onClose={() => setAsking(false)} />
        </>
      )}
    </>
  );
}

function ReplayAll({
  channel,
  isOpen,
  onClose,
}: {
  readonly channel: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [range, setRange] = useState<Range>('24h');
  const nameOf = useChannelNames();
  const replay = useWrite('replayAlertChannel', ['listDeliveries', 'getOverview']);
  return (
    <Confirm
      title={text.replayTitle}
      action={text.replay}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        const { count } = await replay.mutateAsync({
          params: { id: channel },
          body: { since: rangeStart(range, Date.now()) },
        });
        toast.done(text.replayed(count));
      }}
    >
      <p>{text.replayQuestion(nameOf(channel), ranges[range])}</p>
      <Choice label="Range" value={range} options={Object.entries(ranges) as [Range, string][]} onChange={setRange} />
    </Confirm>
  );
}

type Deliveries = NonNullable<ReturnType<typeof useMore<'listDeliveries'>>['items']>;

/** Whether the names in the first rows are known, so that columns do not move once they are. */
function useHasNames(deliveries: Deliveries): boolean {
  const accountId = use(AccountContext);
  const checkIds = [...new Set(deliveries.flatMap(({ checkId }) => checkId ?? []))];
  const checks = useQueries({ queries: checkIds.map((id) => read(accountId, 'getCheck', { params: { id } })) });
  const channels = useAll('listAlertChannels');
  const isKnown = !channels.isPending && checks.every(({ isPending }) => !isPending);
  const [hadNames, setHadNames] = useState(false);
  if (isKnown && !hadNames) setHadNames(true);
  return isKnown || hadNames;
}

function DeliveryTable({ deliveries }: { readonly deliveries: Deliveries }) {
  if (!useHasNames(deliveries)) return <Skeleton lines={8} height={36} />;
  return (
    <Table
      label={text.title}
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'alert',
          title: text.columns.alert,
          isName: true,
          cell: (delivery) => (
            <Link to="/deliveries/$deliveryId" params={{ deliveryId: delivery.id }} data-row>
              {deliveryWords(delivery)}
            </Link>
          ),
        },
        {
          id: 'check',
          title: text.columns.check,
          cell: ({ checkId }) => (checkId === null ? '–' : <CheckName checkId={checkId} />),
        },
        {
          id: 'status',
          title: text.columns.status,
          cell: (delivery) => <DeliveryStatus delivery={delivery} />,
        },
        {
          id: 'channel',
          title: text.columns.channel,
          cell: ({ alertChannelId }) => <ChannelName id={alertChannelId} />,
        },
        { id: 'attempts', title: text.columns.attempts, isNumber: true, cell: ({ attempts }) => attempts.length },
        { id: 'created', title: text.columns.created, cell: ({ createdAt }) => <At at={createdAt} /> },
        {
          id: 'next',
          title: text.columns.next,
          cell: ({ nextAttemptAt }) => nextAttemptAt !== undefined && <Ago at={nextAttemptAt} />,
        },
      ]}
    />
  );
}
