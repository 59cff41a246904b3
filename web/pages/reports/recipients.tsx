// Who receives reports by email, and on which checks: the email channels of the account.
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useMay } from '../../api/me.ts';
import { useMore, useWrite } from '../../api/query.ts';
import { ChannelName, showOfChannel, useChannelNames } from '../../ui/alerts/channels.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { type ReportsSearch, scopeOf } from './search.ts';
import { NoEmailChannel } from './send.tsx';
import { text } from './strings.ts';
import css from './reports.module.css';

type Channel = AnswerOf<'listAlertChannels'>[number];
type Schedule = NonNullable<Channel['report']>;

/** A new schedule takes the checks, heading and time zone of the page. */
export function Recipients({ search }: { readonly search: ReportsSearch }) {
  const { items, error, refetch, total, hasNextPage, isFetchingNextPage, fetchNextPage } = useMore('listAlertChannels');
  if (error && items === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (items === undefined) return <Skeleton />;
  const channels = items.filter(({ type }) => showOfChannel(type).receivesReports);
  return (
    <>
      {channels.length === 0 ? <NoEmailChannel /> : <p className="quiet">{text.byEmailNote}</p>}
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
              cell: (channel) => <Recipient channel={channel} search={search} />,
            },
          ]}
        />
      )}
      <More {...{ total, hasNextPage, isFetchingNextPage, fetchNextPage }} shown={items.length} />
    </>
  );
}

function Recipient({ channel, search }: { readonly channel: Channel; readonly search: ReportsSearch }) {
  const { id, report } = channel;
  const { write } = useMay();
  const name = useChannelNames()(id);
  const change = useWrite('updateAlertChannel', ['listAlertChannels']);
  const { groupId = null, tag: tags = [] } = scopeOf(search);
  const chosen = { groupId, tags, title: search.title ?? null };
  const save = (every: Schedule['every'] | 'none'): void => {
    const zone = search.timezone !== undefined && { timeZone: search.timezone };
    const next = every === 'none' ? null : { every, ...chosen, ...zone };
    void toast.of(change.mutateAsync({ params: { id }, body: { report: next } }), text.scheduled(name));
  };
  const every = report?.every ?? 'none';
  const isOther = report !== null && JSON.stringify(scopeIn(report)) !== JSON.stringify(chosen);
  return (
    <span className={css['schedule']}>
      {write ? (
        <Choice
          label={text.reportOf(name)}
          isLabelHidden
          value={every}
          options={Object.entries(text.schedules) as [typeof every, string][]}
          onChange={save}
        />
      ) : (
        text.schedules[every]
      )}
      {report !== null && <About schedule={report} />}
      {write && report !== null && isOther && (
        <Button kind="quiet" onPress={() => save(report.every)}>
          {text.takeChosen}
        </Button>
      )}
    </span>
  );
}

function scopeIn({ groupId = null, tags = [], title = null }: Schedule) {
  return { groupId, tags, title };
}

/** The checks and the heading of a schedule. */
function About({ schedule }: { readonly schedule: Schedule }) {
  const groups = useAll('listCheckGroups');
  const { groupId, tags, title } = scopeIn(schedule);
  const group = groupId === null ? null : (groups.data?.find(({ id }) => id === groupId)?.name ?? String(groupId));
  const scope = text.scope(group, tags) || text.allGroups;
  return <span className="quiet">{title === null ? scope : `${scope}: ${title}`}</span>;
}
