// The subscribers of a status page: found, added and removed, and as a file.
import { Link, useParams } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { use, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useMoreSubscribers } from '../../api/entries.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { SearchBox } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { useSettled } from '../../ui/form/settled.ts';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { Empty } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { At } from '../../ui/text/time.tsx';
import { Loaded } from './frame.tsx';
import { text } from './strings.ts';

type Subscriber = AnswerOf<'listStatusSubscriptions'>['entries'][number];

export function StatusSubscribersPage() {
  const { pageId } = useParams({ from: '/shell/status-pages/$pageId/subscribers' });
  const accountId = use(AccountContext);
  const page = useRead('getStatusPage', { params: { id: pageId } }).data;
  const [isAdding, setAdding] = useState(false);
  const [search, setSearch] = useState('');
  const asked = useSettled(search.trim());
  const found = useMoreSubscribers(pageId, asked);
  const download = async (): Promise<void> => {
    const csv = await clientOf(accountId).call('exportStatusSubscriptions', { params: { id: pageId } });
    saveFile(new Blob([csv], { type: 'text/csv' }), 'tocsin-subscribers.csv');
  };
  const above = (
    <>
      <Link to="/status-pages">{text.title}</Link>
      <span aria-hidden>/</span>
      <Link to="/status-pages/$pageId" params={{ pageId }}>
        {page?.name ?? '…'}
      </Link>
    </>
  );
  return (
    <>
      <PageHead title={text.subscribers} above={above}>
        <Button kind="primary" onPress={() => setAdding(true)}>
          {text.addSubscribers}
        </Button>
        <Button onPress={() => void toast.of(download(), text.downloaded)}>{text.downloadCsv}</Button>
      </PageHead>
      <SearchBox label={text.searchAddress} value={search} onChange={setSearch} />
      <Loaded read={{ ...found, data: found.items }}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={asked === '' ? text.subscribersEmpty : text.noSubscriber}>
              {asked === '' && <p>{text.subscribersEmptyHelp}</p>}
            </Empty>
          ) : (
            <>
              <List pageId={pageId} subscribers={items} />
              <More {...found} shown={items.length} />
            </>
          )
        }
      </Loaded>
      <AddSubscribers pageId={pageId} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

function List({ pageId, subscribers }: { readonly pageId: string; readonly subscribers: readonly Subscriber[] }) {
  const remove = useWrite('deleteStatusSubscription', ['listStatusSubscriptions']);
  const [removing, setRemoving] = useState<Subscriber | null>(null);
  const { columns } = text;
  return (
    <>
      <Table
        label={text.subscribers}
        rows={subscribers}
        keyOf={({ id }) => id}
        columns={[
          { id: 'address', title: text.address, isName: true, cell: ({ address }) => address },
          { id: 'state', title: columns.state, cell: ({ status }) => text.subscriberStates[status] },
          {
            id: 'services',
            title: columns.services,
            cell: ({ services }) => services?.map(({ name }) => name).join(', ') ?? text.allServices,
          },
          { id: 'since', title: text.subscribedAt, cell: (row) => <At at={row.verifiedAt ?? row.created_at} /> },
          {
            id: 'actions',
            title: text.actions,
            cell: (row) => (
              <IconButton label={text.removeSubscriber(row.address)} onPress={() => setRemoving(row)}>
                <X size={15} />
              </IconButton>
            ),
          },
        ]}
      />
      <Confirm
        title={text.removeTitle(removing?.address ?? '')}
        action={text.remove}
        isDanger
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id: pageId, subscriptionId: removing?.id ?? '' } });
          toast.done(text.removed(removing?.address ?? ''));
        }}
      >
        <p>{text.removeSubscriberHelp}</p>
      </Confirm>
    </>
  );
}

function AddSubscribers({
  pageId,
  isOpen,
  onClose,
}: {
  readonly pageId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [lines, setLines] = useState('');
  const [haveAgreed, setAgreed] = useState(false);
  const add = useWrite('createStatusSubscriptions', ['listStatusSubscriptions']);
  const addresses = [...new Set(lines.split(/[\s,;]+/).filter((each) => each !== ''))];
  return (
    <Confirm
      title={text.addSubscribers}
      action={text.addAddresses}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        const subscriptions = addresses.map((address) => ({ address }));
        const body = { subscriptions, autoVerify: haveAgreed };
        const { created, skipped } = await add.mutateAsync({ params: { id: pageId }, body });
        setLines('');
        toast.done(text.addedSubscribers(created, skipped));
      }}
    >
      <TextInput
        name="subscriptions"
        label={text.addresses}
        help={text.addressesHelp}
        lines="text"
        value={lines}
        onChange={setLines}
      />
      <Flag label={text.haveAgreed} help={text.haveAgreedHelp} value={haveAgreed} onChange={setAgreed} />
    </Confirm>
  );
}
