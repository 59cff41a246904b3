// Who receives the report by email: the email channels of the account.
import { useMay } from '../../api/me.ts';
import { useMore, useWrite } from '../../api/query.ts';
import { ChannelName, showOfChannel } from '../../ui/alerts/channels.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';

/** @param timeZone of the weeks and months of a new schedule; absent = that of the account */
export function Recipients({ timeZone }: { readonly timeZone?: string }) {
  const { write } = useMay();
  const { items, error, refetch, total, hasNextPage, isFetchingNextPage, fetchNextPage } = useMore('listAlertChannels');
  const change = useWrite('updateAlertChannel', ['listAlertChannels']);
  if (error && items === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (items === undefined) return <Skeleton />;
  const channels = items.filter(({ type }) => showOfChannel(type).receivesReports);
  const addressOf = ({ config, id }: (typeof channels)[number]): string =>
    (config as { readonly address?: string }).address ?? String(id);
  return (
    <>
      <p className="quiet">{channels.length === 0 ? text.noChannels : text.byEmailNote}</p>
      {channels.length > 0 && (
        <Table
          label={text.byEmail}
          rows={channels}
          keyOf={({ id }) => String(id)}
          columns={[
            { id: 'address', title: text.columns.address, isName: true, cell: ({ id }) => <ChannelName id={id} /> },
            {
              id: 'report',
              title: text.columns.report,
              cell: (channel) => {
                const every = channel.report?.every ?? 'none';
                if (!write) return text.schedules[every];
                const address = addressOf(channel);
                return (
                  <Choice
                    label={text.reportOf(address)}
                    isLabelHidden
                    value={every}
                    options={Object.entries(text.schedules) as [typeof every, string][]}
                    onChange={(next) => {
                      const report =
                        next === 'none' ? null : { every: next, ...(timeZone !== undefined && { timeZone }) };
                      const written = change.mutateAsync({ params: { id: channel.id }, body: { report } });
                      void toast.of(written, text.scheduled(address));
                    }}
                  />
                );
              },
            },
          ]}
        />
      )}
      <More {...{ total, hasNextPage, isFetchingNextPage, fetchNextPage }} shown={items.length} />
    </>
  );
}
