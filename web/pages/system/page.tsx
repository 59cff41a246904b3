// The installation as its operator sees it: processes, held deliveries, runtimes, limits, notices.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useMe } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { count, plural, sentence } from '../../ui/text/format.ts';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { SystemLedger } from './ledger.tsx';
import { text } from './strings.ts';

export function SystemPage() {
  const { operate } = useMay();
  const { version, startedAt } = useMe();
  const notices = useRead('listNotices');
  if (!operate) return <Empty title={text.refused} />;
  return (
    <>
      <PageHead title={text.title} />
      <Facts
        facts={[
          [text.version, version],
          [text.started, <At key="started" at={startedAt} />],
          [
            text.notices,
            <Link key="notices" to="/notices">
              {notices.data === undefined
                ? '…'
                : notices.data.length === 0
                  ? text.noNotices
                  : plural(notices.data.length, 'notice')}
            </Link>,
          ],
        ]}
      />
      <Section title={text.processes}>
        <Processes />
      </Section>
      <Section title={text.ledger}>
        <SystemLedger />
      </Section>
      <Section title={text.deliveries}>
        <HeldDeliveries />
      </Section>
      <Section title={text.usage}>
        <Usage />
      </Section>
      <Section title={text.runtimes}>
        <Runtimes />
      </Section>
    </>
  );
}

function Processes() {
  const { data, error, refetch } = useRead('listProcesses');
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { columns } = text;
  return (
    <Table
      label={text.processes}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        { id: 'host', title: columns.host, isName: true, cell: ({ host, pid }) => `${host} (${pid})` },
        { id: 'status', title: columns.status, cell: ({ status }) => (status === 'alive' ? text.alive : text.silent) },
        { id: 'roles', title: columns.roles, cell: ({ roles }) => roles.join(', ') },
        { id: 'version', title: columns.version, cell: ({ version }) => version },
        { id: 'location', title: columns.location, cell: ({ location }) => location },
        { id: 'holds', title: columns.holds, cell: ({ holds }) => text.holds(holds.runs, holds.deliveries) },
        { id: 'started', title: columns.started, cell: ({ startedAt }) => <At at={startedAt} /> },
        { id: 'seen', title: columns.seen, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
      ]}
    />
  );
}

function HeldDeliveries() {
  const { data, error, refetch } = useRead('getHeldDeliveries');
  const release = useWrite('releaseHeldDeliveries', ['getHeldDeliveries', 'listNotices']);
  const discard = useWrite('discardHeldDeliveries', ['getHeldDeliveries', 'listNotices']);
  const [isAsking, setAsking] = useState(false);
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={1} />;
  if (!data.isHeld) return <p>{text.notHeld}</p>;
  return (
    <>
      <p>
        <strong>{text.held(data.waiting)}</strong> {data.reason !== null && text.reasons[data.reason]}{' '}
        {data.backupAt !== null && (
          <>
            {text.backup} <At at={data.backupAt} />.
          </>
        )}
      </p>
      <Button kind="primary" onPress={() => void toast.of(release.mutateAsync({}), text.released)}>
        {text.release}
      </Button>{' '}
      <Button kind="danger" onPress={() => setAsking(true)}>
        {text.discard}
      </Button>
      <Confirm
        title={text.discardTitle}
        action={text.discardAction}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => discard.mutateAsync({})}
      >
        <p>{text.discardQuestion(data.waiting)}</p>
      </Confirm>
    </>
  );
}

function Usage() {
  const { accountId } = useMe();
  const { data } = useRead('getUsage', { params: { id: accountId } });
  if (data === undefined) return <Skeleton lines={1} />;
  return (
    <Facts
      facts={[
        [text.runs, count(data.used)],
        [text.limit, data.limit === undefined ? text.noLimit : count(data.limit)],
      ]}
    />
  );
}

function Runtimes() {
  const { data } = useRead('listRuntimes');
  if (data === undefined) return <Skeleton lines={2} />;
  const { runtimeColumns } = text;
  return (
    <Table
      label={text.runtimes}
      rows={data}
      keyOf={({ name }) => name}
      columns={[
        { id: 'name', title: runtimeColumns.name, isName: true, cell: ({ name }) => name },
        {
          id: 'stage',
          title: runtimeColumns.stage,
          cell: ({ stage }) => (stage == null ? '–' : sentence(stage.toLowerCase())),
        },
        { id: 'node', title: runtimeColumns.node, cell: ({ nodeJsVersion }) => nodeJsVersion },
        { id: 'end', title: runtimeColumns.end, cell: ({ runtimeEndOfLife }) => runtimeEndOfLife ?? '–' },
      ]}
    />
  );
}
