// A delivery with every attempt: request, response, next step.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { RotateCw, Send, X } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useMore, useRead, useWrite } from '../../api/query.ts';
import { deliveryWords } from '../../ui/alerts/alert-words.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckName } from '../../ui/checks/check-name.tsx';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { DeliveryStatus } from '../../ui/alerts/delivery-status.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { sentence, withLocalTimes } from '../../ui/text/format.ts';
import { AttemptView } from './attempt.tsx';
import { text } from './strings.ts';
import css from './delivery.module.css';

type Delivery = AnswerOf<'getDelivery'>;

export function DeliveryPage() {
  const { deliveryId } = useParams({ from: '/shell/deliveries/$deliveryId' });
  const { data, error, refetch } = useRead('getDelivery', { params: { id: deliveryId } });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={6} />;
  return (
    <>
      {data.checkId === null ? <Head delivery={data} /> : <HeadOfCheck delivery={data} checkId={data.checkId} />}
      <DeliveryFacts delivery={data} />
      {data.error !== undefined && data.status !== 'cancelled' && data.status !== 'superseded' && (
        <p className={css['reason']}>{sentence(withLocalTimes(data.error))}</p>
      )}
      {data.isDigest === true && <DigestedAlerts digestId={data.id} />}
      {data.status === 'digested' ? null : <Attempts delivery={data} />}
    </>
  );
}

function HeadOfCheck({ delivery, checkId }: { readonly delivery: Delivery; readonly checkId: string }) {
  const check = useRead('getCheck', { params: { id: checkId } });
  return <Head delivery={delivery} checkName={check.data?.name} />;
}

function Head({ delivery, checkName }: { readonly delivery: Delivery; readonly checkName?: string | undefined }) {
  const alert = deliveryWords(delivery);
  const heading = checkName === undefined ? alert : text.heading(alert, checkName);
  return (
    <PageHead title={text.title(heading)} heading={heading} above={<Link to="/deliveries">{text.all}</Link>}>
      <Actions delivery={delivery} />
    </PageHead>
  );
}

function Attempts({ delivery: data }: { readonly delivery: Delivery }) {
  return (
    <>
      <Section title={text.attempts}>
        {data.attempts.length === 0 ? (
          <Empty title={text.none}>
            {data.status === 'pending' && data.error === undefined && <p>{text.noneHelp}</p>}
            {data.status === 'collecting' && <p>{text.collectingHelp}</p>}
          </Empty>
        ) : (
          <ol className={css['attempts']}>
            {data.attempts.toReversed().map((attempt, index) => (
              <AttemptView key={attempt.startedAt} attempt={attempt} isOpen={index === 0} />
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const { alertChannelId, checkId, checkResultId, createdAt, nextAttemptAt, replayOf, routedFrom } = delivery;
  return (
    <Facts
      facts={[
        [text.status, <DeliveryStatus key="status" delivery={delivery} />],
        [
          text.channel,
          <Link key="channel" to="/deliveries" search={{ channel: alertChannelId }}>
            <ChannelName id={alertChannelId} />
          </Link>,
        ],
        ...(routedFrom === undefined ? [] : [[text.routedFrom, <ChannelName key="routed" id={routedFrom} />] as const]),
        ...(checkId === null ? [] : [[text.check, <CheckName key="check" checkId={checkId} />] as const]),
        ...(checkId === null || checkResultId === null
          ? []
          : [
              [
                text.result,
                <Link
                  key="result"
                  to="/checks/$checkId/results/$resultId"
                  params={{ checkId, resultId: checkResultId }}
                >
                  {text.open}
                </Link>,
              ] as const,
            ]),
        [text.created, <At key="created" at={createdAt} />],
        ...(nextAttemptAt === undefined ? [] : [[text.next, <Ago key="next" at={nextAttemptAt} />] as const]),
        ...(replayOf === undefined
          ? []
          : [
              [
                text.replayOf,
                <Link key="replay" to="/deliveries/$deliveryId" params={{ deliveryId: replayOf }}>
                  {text.open}
                </Link>,
              ] as const,
            ]),
      ]}
    />
  );
}

/** The alerts that a digest replaces. */
function DigestedAlerts({ digestId }: { readonly digestId: string }) {
  const alerts = useMore('listDeliveries', { query: { digestId } });
  if (alerts.items === undefined) {
    return alerts.error ? (
      <LoadError error={alerts.error} onRetry={() => void alerts.refetch()} />
    ) : (
      <Skeleton lines={2} />
    );
  }
  if (alerts.items.length === 0) return null;
  return (
    <Section title={text.digested}>
      <Table
        label={text.digested}
        rows={alerts.items}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'alert',
            title: text.alert,
            isName: true,
            cell: (alert) => (
              <Link to="/deliveries/$deliveryId" params={{ deliveryId: alert.id }}>
                {deliveryWords(alert)}
              </Link>
            ),
          },
          {
            id: 'check',
            title: text.check,
            cell: ({ checkId }) => (checkId === null ? '–' : <CheckName checkId={checkId} />),
          },
          { id: 'created', title: text.created, cell: ({ createdAt }) => <At at={createdAt} /> },
        ]}
      />
      <More {...alerts} shown={alerts.items.length} />
    </Section>
  );
}

function Actions({ delivery: { id, status } }: { readonly delivery: Delivery }) {
  const { write } = useMay();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const refreshes = ['getDelivery', 'listDeliveries', 'getOverview'] as const;
  const retry = useWrite('retryDelivery', refreshes);
  const cancel = useWrite('cancelDelivery', refreshes);
  const replay = useWrite('replayDelivery', refreshes);
  if (!write) return null;
  const input = { params: { id } };
  const replayNow = async (): Promise<void> => {
    const made = await replay.mutateAsync(input);
    await navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: made.id } });
  };
  const isCollecting = status === 'collecting';
  if (status !== 'pending' && !isCollecting) {
    return (
      <Button onPress={() => void toast.of(replayNow(), text.replayed)}>
        <Send size={15} aria-hidden /> {text.replay}
      </Button>
    );
  }
  return (
    <>
      <Button kind="primary" onPress={() => void toast.of(retry.mutateAsync(input), text.retried)}>
        <RotateCw size={15} aria-hidden /> {isCollecting ? text.sendNow : text.retry}
      </Button>
      {!isCollecting && (
        <Button onPress={() => setAsking(true)}>
          <X size={15} aria-hidden /> {text.cancel}
        </Button>
      )}
      <Confirm
        title={text.cancelTitle}
        action={text.keep}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel.mutateAsync(input)}
      >
        <p>{text.cancelQuestion}</p>
      </Confirm>
    </>
  );
}
