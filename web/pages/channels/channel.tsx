// One channel: its settings, a test message with the whole exchange, its deletion.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { use, useState } from 'react';
import type { ChannelForm } from '#channels/form.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Exchange } from '../../ui/alerts/exchange.tsx';
import { showOfChannel, useChannelNames } from '../../ui/alerts/channels.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { revisionOf, type Stored } from '../../ui/form/changed-meanwhile.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { channelForms } from '../../ui/form/forms.ts';
import { Empty, ErrorMessage, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { LastChange } from '../../ui/layout/last-change.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { milliseconds } from '../../ui/text/format.ts';
import { ChannelEditor } from './editor.tsx';
import { Health, isOff } from './page.tsx';
import { Rotation } from './rotation.tsx';
import { text } from './strings.ts';
import { Subscriptions } from './subscriptions.tsx';
import parts from '../../ui/form/form.module.css';
import css from './channels.module.css';

type Channel = AnswerOf<'getAlertChannel'>;

export function NewChannelPage() {
  const { type, preset } = useSearch({ from: '/shell/channels/new' });
  const presets = useRead('listAlertChannelPresets');
  const navigate = useNavigate();
  const form = channelForms.find((each) => each.type === type);
  const chosen = presets.data?.find(({ webhookType }) => webhookType === preset);
  return (
    <>
      <PageHead title={text.newTitle} above={<Link to="/channels">{text.title}</Link>} />
      {form === undefined ? (
        <Kinds presets={presets.data ?? []} />
      ) : preset !== undefined && chosen === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <>
          {chosen !== undefined && <p className={css['note']}>{chosen.note}</p>}
          <ChannelEditor
            key={`${form.type} ${preset ?? ''}`}
            form={form}
            name={`new channel ${form.type} ${preset ?? ''}`}
            start={{ config: { ...form.start, ...(chosen?.config as Draft | undefined) }, autoSubscribe: true }}
            channelId={null}
            onDone={(id) => void navigate({ to: '/channels/$channelId', params: { channelId: String(id) } })}
          />
        </>
      )}
    </>
  );
}

function Kinds({ presets }: { readonly presets: AnswerOf<'listAlertChannelPresets'> }) {
  const template = channelForms.find(({ isTemplate }) => isTemplate === true)?.type;
  return (
    <section aria-label={text.choose}>
      <h2 className={parts['choose']}>{text.choose}</h2>
      <ul className={parts['types']}>
        {channelForms.map(({ type, about }) => (
          <li key={type}>
            <Link to="/channels/new" search={{ type }} className={parts['type']}>
              <strong>{showOfChannel(type).label}</strong>
              <span className="quiet">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
      {presets.length > 0 && template !== undefined && (
        <>
          <h2 className={parts['choose']}>{text.presets}</h2>
          <ul className={css['presets']}>
            {presets.map(({ name, webhookType }) =>
              webhookType === undefined ? null : (
                <li key={webhookType}>
                  <Link to="/channels/new" search={{ type: template, preset: webhookType }}>
                    {name}
                  </Link>
                </li>
              ),
            )}
          </ul>
        </>
      )}
    </section>
  );
}

export function ChannelPage() {
  const { channelId } = useParams({ from: '/shell/channels/$channelId' });
  const channel = useRead('getAlertChannel', { params: { id: Number(channelId) } });
  if (channel.error && channel.data === undefined) {
    return <LoadError error={channel.error} onRetry={() => void channel.refetch()} />;
  }
  if (channel.data === undefined || String(channel.data.id) !== channelId) return <Skeleton lines={6} height={36} />;
  return <Loaded key={channelId} channel={channel.data} />;
}

function Loaded({ channel }: { readonly channel: Channel }) {
  const { id, type } = channel;
  const { write } = useMay();
  const name = useChannelNames()(id);
  const form = channelForms.find((each) => each.type === type);
  const client = clientOf(use(AccountContext));
  const read = async (of: ChannelForm): Promise<Stored> => {
    const present = await client.call('getAlertChannel', { params: { id } });
    return { start: writtenOf(present, of), revision: revisionOf(present) };
  };
  return (
    <>
      <PageHead title={name} above={<Link to="/channels">{text.title}</Link>}>
        {write && <Remove channel={channel} name={name} />}
      </PageHead>
      <Facts
        facts={[
          [text.columns.state, <Health key="health" channel={channel} />],
          [text.columns.subscribed, text.subscribed(channel.subscriptions.length)],
          [
            text.log,
            <Link key="deliveries" to="/deliveries" search={{ channel: id }}>
              {text.deliveries}
            </Link>,
          ],
        ]}
      />
      {isOff(channel) && <SendsNothing channel={channel} />}
      <Subscriptions channel={channel} />
      {write && <Test id={id} />}
      {write && form?.rotation !== undefined && <Rotation channel={channel} names={form.rotation} />}
      {write && form !== undefined && (
        <ChannelEditor
          form={form}
          name={`channel ${id}`}
          start={writtenOf(channel, form)}
          channelId={id}
          stored={{ revision: revisionOf(channel), read: () => read(form) }}
          onDone={() => {}}
        />
      )}
      {form === undefined && <Empty title={text.unknown} />}
      <LastChange
        resource="alert-channel"
        id={String(id)}
        createdAt={channel.created_at}
        updatedAt={channel.updated_at}
      />
    </>
  );
}

/** The channel as it is written: what the server adds is left out. */
function writtenOf(channel: Channel, form: ChannelForm): Draft {
  const { sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold } = channel;
  const { autoSubscribe, grouping, activeHours } = channel;
  // A rotation has its own form: an older draft does not end it.
  const config = Object.fromEntries(
    Object.entries(channel.config as Draft).filter(([name]) => name !== form.rotation?.previousUntil),
  );
  const alerts = { sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold, autoSubscribe, grouping };
  // The contract describes it as JSON.
  return { config, ...alerts, activeHours };
}

/** Says that the channel sends nothing, and offers to switch it on once a message has arrived. */
function SendsNothing({ channel: { id, lastDeliveredAt } }: { readonly channel: Channel }) {
  const { write } = useMay();
  const change = useWrite('updateAlertChannel', ['listAlertChannels', 'getAlertChannel', 'getOverview', 'listNotices']);
  const switchOn = (): void =>
    change.mutate(
      { params: { id }, body: { sendFailure: true, sendRecovery: true } },
      { onSuccess: () => toast.done(text.switchedOnAlerts) },
    );
  return (
    <div role="note" className={css['off']}>
      <p>{text.offNote}</p>
      {write && lastDeliveredAt !== null && (
        <div className={css['health']}>
          <span>{text.switchOnHelp}</span>
          <Button kind="primary" isDisabled={change.isPending} onPress={switchOn}>
            {text.switchOn}
          </Button>
        </div>
      )}
      {change.error !== null && <ErrorMessage error={change.error} />}
    </div>
  );
}

function Test({ id }: { readonly id: number }) {
  const send = useWrite('testAlertChannel', ['listDeliveries', 'getAlertChannel', 'listAlertChannels']);
  const { data, error } = send;
  return (
    <Section
      title={text.test}
      aside={
        <Button isDisabled={send.isPending} onPress={() => send.mutate({ params: { id }, body: {} })}>
          <Send size={15} aria-hidden /> {send.isPending ? text.sending : text.send}
        </Button>
      }
    >
      <p className="quiet">{text.testHelp}</p>
      <div role="status">
        {error !== null && <ErrorMessage error={error} />}
        {data !== undefined && <Sent answer={data} />}
      </div>
    </Section>
  );
}

function Sent({ answer: { delivery, request, response, error } }: { readonly answer: AnswerOf<'testAlertChannel'> }) {
  const isReceived = delivery.status === 'delivered';
  const ms = delivery.attempts.at(-1)?.durationMs ?? 0;
  return (
    <>
      <p className={isReceived ? css['working'] : css['failing']}>
        {isReceived ? text.delivered(milliseconds(ms)) : `${text.notDelivered} ${error?.message ?? ''}`}
      </p>
      <div className={css['sides']}>
        <Exchange
          title={text.request}
          line={`${request.method} ${request.url}`}
          headers={request.headers}
          body={request.body ?? ''}
        />
        {response !== undefined && (
          <Exchange
            title={text.response}
            line={String(response.status)}
            headers={response.headers}
            body={response.body ?? ''}
          />
        )}
      </div>
    </>
  );
}

function Remove({ channel: { id, subscriptions }, name }: { readonly channel: Channel; readonly name: string }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useWrite('deleteAlertChannel', ['listAlertChannels', 'getOverview', 'listNotices']);
  const navigate = useNavigate();
  return (
    <>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {text.remove}
      </Button>
      <Confirm
        title={text.removeTitle(name)}
        action={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id } });
          toast.done(text.removed(name));
          await navigate({ to: '/channels' });
        }}
      >
        <p>{text.removeHelp(subscriptions.length)}</p>
      </Confirm>
    </>
  );
}
