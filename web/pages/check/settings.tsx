// What the check does: its request, assertions, limits, retries, alerts, channels and script.
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { read, useRead } from '../../api/query.ts';
import { isCalled, showOf } from '../../ui/checks/kind.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { duration, milliseconds } from '../../ui/text/format.ts';
import { retryText } from '../../ui/checks/retry-words.ts';
import { assertionText, filledTarget } from './settings-words.ts';
import { text } from './strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;
type Escalation = Partial<NonNullable<Check['alertSettings']>>;

/** Settings as they apply, with those of the group. */
export function Settings({ check: { id, groupId } }: { readonly check: Check }) {
  const effective = useRead('getCheck', { params: { id }, query: { applyGroupSettings: true } });
  const group = useGroup(groupId);
  const account = useRead('getOwnAccount');
  const check = effective.data;
  if (check === undefined || check.id !== id) return null;
  const script = 'script' in check ? check.script : undefined;
  return (
    <Section title={text.settings}>
      <Facts facts={factsOf(check, group, account.data?.alertSettings)} />
      {typeof script === 'string' && script !== '' && (
        <details className={css['script']}>
          <summary>{text.script}</summary>
          <Code text={script} label={text.script} />
        </details>
      )}
    </Section>
  );
}

/** What a group adds to its checks. */
interface Group {
  /** IDs. */
  readonly channels: readonly number[];
  readonly baseUrl: string;
}

function useGroup(groupId: number | null): Group {
  const options = read(use(AccountContext), 'getCheckGroup', { params: { id: groupId ?? 0 } });
  const { data } = useQuery({ ...options, enabled: groupId !== null });
  if (groupId === null || data === undefined) return { channels: [], baseUrl: '' };
  return { channels: idsOf(data.alertChannelSubscriptions), baseUrl: data.apiCheckDefaults.url };
}

function idsOf(subscriptions: readonly { readonly alertChannelId: number; readonly activated: boolean }[]): number[] {
  return subscriptions.filter(({ activated }) => activated).map(({ alertChannelId }) => alertChannelId);
}

function factsOf(check: Check, ofGroup: Group, ofAccount: Escalation | undefined): (readonly [string, ReactNode])[] {
  const request = showOf(check.checkType).request?.(check);
  const assertions = (request?.assertions ?? []).map(assertionText);
  const channels = [...new Set([...idsOf(check.alertChannelSubscriptions), ...ofGroup.channels])];
  return [
    ...(request === undefined
      ? []
      : [
          [
            text.request,
            <span key="target" className="mono">
              {filledTarget(request.target, ofGroup.baseUrl)}
            </span>,
          ] as const,
        ]),
    ...(check.shouldFail ? [[text.expectsTitle, text.shouldFail] as const] : []),
    ...(assertions.length === 0 ? [] : [[text.assertions, <List key="assertions" items={assertions} />] as const]),
    ...limitsOf(check),
    ...(isCalled(check.checkType) ? [] : [[text.retries, retryText(check.retryStrategy)] as const]),
    [text.alertAfter, escalationText((check.useGlobalAlertSettings ? null : check.alertSettings) ?? ofAccount)],
    [
      text.channels,
      channels.length === 0
        ? text.noChannels
        : channels.map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <ChannelName id={id} />
            </Fragment>
          )),
    ],
  ];
}

function List({ items }: { readonly items: readonly string[] }) {
  return (
    <ul className={css['assertions']}>
      {items.map((item, index) => (
        <li key={index}>{item}</li>
      ))}
    </ul>
  );
}

/** The response times above which the check is degraded or failed. */
function limitsOf(check: Check): (readonly [string, string])[] {
  if (!('maxResponseTime' in check)) return [];
  const { degradedResponseTime, maxResponseTime } = check;
  return [[text.limits, text.slow(milliseconds(degradedResponseTime), milliseconds(maxResponseTime))]];
}

function escalationText(settings: Escalation | undefined): string {
  if (settings?.escalationType === 'TIME_BASED') {
    return text.afterTime(duration((settings.timeBasedEscalation?.minutesFailingThreshold ?? 0) * 60_000));
  }
  return text.afterRuns(settings?.runBasedEscalation?.failedRunThreshold ?? 1);
}
