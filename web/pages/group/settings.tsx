// What a group sets for its checks, and whose own settings that overrides.
import { Fragment, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useRead } from '../../api/query.ts';
import { settingsWords } from '../../ui/alert-settings/words.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { CheckName } from '../../ui/checks/check-name.tsx';
import { LocationNames } from '../../ui/checks/location-names.tsx';
import { retryText } from '../../ui/checks/retry-words.ts';
import { Facts } from '../../ui/layout/page.tsx';
import { text } from './strings.ts';
import css from './group.module.css';

type Group = AnswerOf<'getCheckGroup'>;
type Check = AnswerOf<'listChecksOfGroup'>[number];

/** Names in a line of overridden checks. */
const maxNames = 5;

export function Settings({ group }: { readonly group: Group }) {
  const account = useRead('getOwnAccount');
  const checks = useAll('listChecksOfGroup', { params: { id: group.id } });
  const { fields } = text;
  const facts = [
    ...settingsOf(group, account.data?.alertSettings),
    ...(group.dependsOn.length === 0
      ? []
      : [
          [
            fields.dependsOn,
            <List
              key="needed"
              items={group.dependsOn.map((id) => (
                <CheckName key={id} checkId={id} />
              ))}
            />,
            none,
          ] as const,
        ]),
  ];
  return (
    <Facts
      facts={facts.map(([name, value, overrides]) => [
        name,
        <Fragment key={name}>
          {value}
          <Overridden checks={(checks.data ?? []).filter(overrides)} />
        </Fragment>,
      ])}
    />
  );
}

const none = (): boolean => false;

/** Name and value of each setting, and whose own setting it overrides. */
function settingsOf(
  group: Group,
  ofAccount: Parameters<typeof settingsWords>[0],
): (readonly [name: string, value: ReactNode, overrides: (check: Check) => boolean])[] {
  const { fields } = text;
  const channels = group.alertChannelSubscriptions.filter(({ activated }) => activated);
  const { retryStrategy, runParallel, useGlobalAlertSettings } = group;
  return [
    [fields.activated, group.activated ? text.yes : text.no, none],
    [
      fields.channels,
      channels.length === 0 ? (
        text.noChannels
      ) : (
        <List
          key="channels"
          items={channels.map(({ alertChannelId: id }) => (
            <ChannelName key={id} id={id} />
          ))}
        />
      ),
      none,
    ],
    [
      fields.alerts,
      useGlobalAlertSettings === null
        ? text.ofCheck
        : useGlobalAlertSettings
          ? `${text.ofAccount}: ${settingsWords(ofAccount)}`
          : group.alertSettings === null
            ? text.ofCheck
            : settingsWords(group.alertSettings),
      (check) => useGlobalAlertSettings !== null && !check.useGlobalAlertSettings,
    ],
    [
      fields.locations,
      group.locations.length === 0 ? text.ofCheck : <LocationNames key="locations" codes={group.locations} />,
      ({ locations }) => group.locations.length > 0 && !isSame(locations, []) && !isSame(locations, group.locations),
    ],
    [
      fields.runParallel,
      runParallel === null ? text.ofCheck : runParallel ? text.parallel : text.inTurn,
      ({ runParallel: own, locations }) => runParallel !== null && own !== runParallel && locations.length > 1,
    ],
    [
      fields.retries,
      retryStrategy === 'FALLBACK' ? text.ofCheck : retryText(retryStrategy),
      (check) =>
        retryStrategy !== 'FALLBACK' && check.retryStrategy !== null && !isSame(check.retryStrategy, retryStrategy),
    ],
    [fields.runtimeId, group.runtimeId ?? text.ofAccount, none],
    [fields.variables, variableNames(group), none],
  ];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function variableNames({ environmentVariables }: Group): string {
  return environmentVariables.length === 0 ? text.noVariables : environmentVariables.map(({ key }) => key).join(', ');
}

function List({ items }: { readonly items: readonly ReactNode[] }) {
  return items.map((item, index) => (
    <Fragment key={index}>
      {index > 0 && ', '}
      {item}
    </Fragment>
  ));
}

/** Checks whose own setting has no effect. */
function Overridden({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  const links = checks.slice(0, maxNames).map(({ id, name }) => (
    <Link key={id} to="/checks/$checkId" params={{ checkId: id }} search={{}}>
      {name}
    </Link>
  ));
  return (
    <span className={css['overridden']}>
      {text.overrides(checks.length)} <List items={links} />
      {checks.length > maxNames && text.andMore(checks.length - maxNames)}
    </span>
  );
}
