// Who would be notified if the check failed now: after what, through which channels, and what would hold it back.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead } from '../../api/query.ts';
import { settingsWords } from '../../ui/alert-settings/words.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { StateBadge } from '../../ui/checks/state.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { notified as text } from './notified-strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;
type Alerting = AnswerOf<'getCheckAlerting'>;
type Channel = Alerting['channels'][number];

export function WhoIsNotified({ check }: { readonly check: Check }) {
  const { data, error, refetch } = useRead('getCheckAlerting', { params: { id: check.id } });
  return (
    <Section title={text.title}>
      {data !== undefined ? (
        <Found check={check} alerting={data} />
      ) : error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={3} />
      )}
    </Section>
  );
}

function Found({ check, alerting }: { readonly check: Check; readonly alerting: Alerting }) {
  const { alertSettings, source, escalationSource, channels, heldBack, dependsOn, neededBy } = alerting;
  const { write } = useMay();
  const told = channels.filter(({ alertTypes }) => alertTypes.includes('ALERT_FAILURE'));
  return (
    <>
      {heldBack.length > 0 && (
        <div className={css['heldBack']} role="status">
          <strong>{text.nobodyNow}</strong>
          <ul>
            {heldBack.map((held) => (
              <li key={`${held.reason} ${held.by} ${held.name ?? ''}`}>
                <Reason held={held} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <p>
        {settingsWords(alertSettings)}.{' '}
        <span className="quiet">
          {escalationSource === source ? (
            <DecidedBy source={source} check={check} what={source === 'default' ? text.allDefault : text.decided} />
          ) : (
            <>
              <DecidedBy
                source={escalationSource}
                check={check}
                what={escalationSource === 'default' ? text.alertDefault : text.decidedAlert}
              />{' '}
              <DecidedBy source={source} check={check} what={text.decidedRest} />
            </>
          )}
        </span>
      </p>
      {told.length === 0 && (
        <p className={css['note']}>
          {channels.length === 0 ? text.noChannel : text.noFailures}{' '}
          {write && (
            <Link to="/checks/$checkId/edit" params={{ checkId: check.id }}>
              {text.subscribe}
            </Link>
          )}
        </p>
      )}
      {channels.length > 0 && (
        <ul className={css['notified']} aria-label={text.channels}>
          {channels.map((channel) => (
            <li key={channel.alertChannelId}>
              <OneChannel channel={channel} groupId={check.groupId} />
            </li>
          ))}
        </ul>
      )}
      {(dependsOn.length > 0 || neededBy.checks.length + neededBy.groups.length > 0) && (
        <Facts facts={dependenciesOf(alerting)} />
      )}
    </>
  );
}

/** A link to the place that decides. */
function DecidedBy({
  source,
  check: { id, groupId },
  what,
}: {
  readonly source: Alerting['source'];
  readonly check: Check;
  readonly what: string;
}) {
  const place = text.places[source];
  return (
    <>
      {what}{' '}
      {source === 'check' ? (
        <Link to="/checks/$checkId/edit" params={{ checkId: id }}>
          {place}
        </Link>
      ) : source === 'group' ? (
        <Link to="/groups/$groupId" params={{ groupId: String(groupId) }}>
          {place}
        </Link>
      ) : (
        <Link to="/settings/alerts">{place}</Link>
      )}
      .
    </>
  );
}

function OneChannel({ channel, groupId }: { readonly channel: Channel; readonly groupId: number | null }) {
  const { alertChannelId: id, alertTypes, isOfCheck, activeFrom, insteadChannelId, failingSince } = channel;
  const { escalationMinutes, escalatesAt } = channel;
  return (
    <>
      <Link to="/channels/$channelId" params={{ channelId: String(id) }}>
        <ChannelName id={id} />
      </Link>{' '}
      <span>{text.receives(alertTypes.includes('ALERT_FAILURE'), alertTypes.includes('ALERT_RECOVERY'))}</span>{' '}
      {escalationMinutes > 0 && <span>{text.afterMinutes(escalationMinutes)}</span>}{' '}
      {escalatesAt !== null && (
        <span className={css['escalates']}>
          {text.escalates} <At at={escalatesAt} />
        </span>
      )}{' '}
      {!isOfCheck && groupId !== null && (
        <span className="quiet">
          {text.through}{' '}
          <Link to="/groups/$groupId" params={{ groupId: String(groupId) }}>
            {text.theGroup}
          </Link>
        </span>
      )}{' '}
      {activeFrom !== null && (
        <span className="quiet">
          {insteadChannelId === null ? (
            <>
              {text.waitsUntil} <At at={activeFrom} />
            </>
          ) : (
            <>
              {text.insteadUntil} <At at={activeFrom} />: <ChannelName id={insteadChannelId} />
            </>
          )}
        </span>
      )}
      {failingSince !== null && (
        <span className={css['failingChannel']}>
          {text.failing} <Ago at={failingSince} />
        </span>
      )}
    </>
  );
}

function Reason({ held }: { readonly held: Alerting['heldBack'][number] }) {
  const { reason, by, name, checkId, until } = held;
  return (
    <>
      {reason === 'dependency' && checkId !== null ? (
        <>
          {text.dependency}{' '}
          <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
            {name}
          </Link>{' '}
          {until === null && text.untilItRecovers}
        </>
      ) : reason === 'maintenance' ? (
        <>
          {text.maintenance} <Link to="/maintenance">{name}</Link>
        </>
      ) : (
        text.reasons[reason as 'paused'](by === 'group')
      )}{' '}
      {until !== null && (
        <>
          {text.until} <At at={until} />
        </>
      )}
    </>
  );
}

/** Both ways: what the check depends on, and what depends on it. */
function dependenciesOf({ dependsOn, neededBy }: Alerting): (readonly [string, ReactNode])[] {
  return [
    ...(dependsOn.length === 0
      ? []
      : [
          [
            text.dependsOn,
            <ul key="dependsOn" className={css['needed']}>
              {dependsOn.map(({ checkId, name, status }) => (
                <li key={checkId}>
                  <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
                    {name}
                  </Link>{' '}
                  <StateBadge state={status ?? 'unknown'} />
                </li>
              ))}
            </ul>,
          ] as const,
        ]),
    ...(neededBy.checks.length + neededBy.groups.length === 0
      ? []
      : [
          [
            text.neededBy,
            <ul key="neededBy" className={css['needed']}>
              {neededBy.groups.map(({ groupId, name }) => (
                <li key={groupId}>
                  <Link to="/groups/$groupId" params={{ groupId: String(groupId) }}>
                    {text.allOf(name)}
                  </Link>
                </li>
              ))}
              {neededBy.checks.map(({ checkId, name }) => (
                <li key={checkId}>
                  <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
                    {name}
                  </Link>
                </li>
              ))}
              {Math.max(neededBy.checks.length, neededBy.groups.length) >= maxListed && <li>{text.andMore}</li>}
            </ul>,
          ] as const,
        ]),
  ];
}

/** The API lists as many checks and groups. */
const maxListed = 200;
