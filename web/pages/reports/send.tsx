// Sends the report that is shown through an email channel, and leads to its delivery.
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useAll } from '../../api/all.ts';
import { useWrite } from '../../api/query.ts';
import { showOfChannel, useChannelNames } from '../../ui/alerts/channels.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { queryOf, type ReportsSearch } from './search.ts';
import { text } from './strings.ts';
import css from './reports.module.css';

export function SendButton({ search }: { readonly search: ReportsSearch }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Send size={15} aria-hidden /> {text.send}
      </Button>
      <Panel title={text.sendTitle} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SendForm search={search} onClose={() => setOpen(false)} />
      </Panel>
    </>
  );
}

/** Leads to a first channel that can receive reports. */
export function NoEmailChannel() {
  return (
    <>
      <p>{text.noChannels}</p>
      <p>
        <Link to="/channels/new" search={{}}>
          {text.newChannel}
        </Link>
      </p>
    </>
  );
}

function SendForm({ search, onClose }: { readonly search: ReportsSearch; readonly onClose: () => void }) {
  const { data } = useAll('listAlertChannels');
  const nameOf = useChannelNames();
  const send = useWrite('sendAccountReport', ['listDeliveries']);
  const [chosen, setChosen] = useState<string | null>(null);
  if (data === undefined) return <Skeleton />;
  const channels = data.filter(({ type }) => showOfChannel(type).receivesReports);
  const id = chosen ?? String(channels[0]?.id ?? '');
  if (channels.length === 0) return <NoEmailChannel />;
  if (send.data !== undefined) {
    return (
      <>
        <p role="status">{text.sent(nameOf(send.data.alertChannelId))}</p>
        <p>
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: send.data.id }}>
            {text.viewDelivery}
          </Link>
        </p>
        <div className={css['buttons']}>
          <Button onPress={onClose}>{text.close}</Button>
        </div>
      </>
    );
  }
  const { tag, ...query } = queryOf(search);
  const body = {
    ...query,
    ...(tag !== undefined && { tags: tag }),
    ...(search.title !== undefined && { title: search.title }),
  };
  return (
    <>
      <p>{text.sendHelp}</p>
      <Choice
        label={text.channel}
        value={id}
        options={channels.map((channel) => [String(channel.id), nameOf(channel.id)] as const)}
        onChange={setChosen}
      />
      {send.error !== null && <ErrorMessage error={send.error} />}
      <div className={css['buttons']}>
        <Button kind="quiet" onPress={onClose}>
          {text.cancel}
        </Button>
        <Button
          kind="primary"
          isDisabled={send.isPending}
          onPress={() => send.mutate({ body: { ...body, alertChannelId: Number(id) } })}
        >
          {send.isPending ? text.sending : text.sendNow}
        </Button>
      </div>
    </>
  );
}
