// What the check does: its request, assertions, limits, retries and script.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { read, useRead } from '../../api/query.ts';
import { isCalled, showOf } from '../../ui/checks/kind.ts';
import { LocationNames } from '../../ui/checks/location-names.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { LastChange } from '../../ui/layout/last-change.tsx';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { milliseconds } from '../../ui/text/format.ts';
import { retryText } from '../../ui/checks/retry-words.ts';
import { assertionText, filledTarget } from './settings-words.ts';
import { text } from './strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;

/** Settings as they apply, with those of the group. */
export function Settings({ check: { id, groupId } }: { readonly check: Check }) {
  const effective = useRead('getCheck', { params: { id }, query: { applyGroupSettings: true } });
  const options = read(use(AccountContext), 'getCheckGroup', { params: { id: groupId ?? 0 } });
  const { data } = useQuery({ ...options, enabled: groupId !== null });
  const group = groupId === null ? undefined : data;
  const check = effective.data;
  if (check === undefined || check.id !== id) return null;
  const script = 'script' in check ? check.script : undefined;
  return (
    <Section title={text.settings}>
      <Facts facts={[...factsOf(check, group), ...placesOf(check, group)]} />
      {typeof script === 'string' && script !== '' && (
        <details className={css['script']}>
          <summary>{text.script}</summary>
          <Code text={script} label={text.script} />
        </details>
      )}
      <LastChange resource="check" id={id} createdAt={check.created_at} updatedAt={check.updated_at} />
    </Section>
  );
}

type Group = AnswerOf<'getCheckGroup'>;

/** A value that the group decides, with a link to it. */
function OfGroup({ group, children }: { readonly group: Group; readonly children: ReactNode }) {
  return (
    <>
      {children}{' '}
      <span className="quiet">
        {text.setBy}{' '}
        <Link to="/groups/$groupId" params={{ groupId: String(group.id) }}>
          {group.name}
        </Link>
      </span>
    </>
  );
}

/** Where the check runs, if its group decides that. */
function placesOf(check: Check, group: Group | undefined): (readonly [string, ReactNode])[] {
  if (group === undefined) return [];
  const { locations, runParallel } = group;
  return [
    ...(locations.length === 0
      ? []
      : [
          [
            text.locations,
            <OfGroup key="locations" group={group}>
              <LocationNames codes={locations} />
            </OfGroup>,
          ] as const,
        ]),
    ...(runParallel === null || check.locations.length < 2
      ? []
      : [
          [
            text.runs,
            <OfGroup key="runs" group={group}>
              {runParallel ? text.parallel : text.inTurn}
            </OfGroup>,
          ] as const,
        ]),
  ];
}

function factsOf(check: Check, group: Group | undefined): (readonly [string, ReactNode])[] {
  const request = showOf(check.checkType).request?.(check);
  const assertions = (request?.assertions ?? []).map(assertionText);
  return [
    ...(request === undefined
      ? []
      : [
          [
            text.request,
            <span key="target" className="mono">
              {filledTarget(request.target, group?.apiCheckDefaults.url ?? '')}
            </span>,
          ] as const,
        ]),
    ...(check.shouldFail ? [[text.expectsTitle, text.shouldFail] as const] : []),
    ...(assertions.length === 0 ? [] : [[text.assertions, <List key="assertions" items={assertions} />] as const]),
    ...limitsOf(check),
    ...(isCalled(check.checkType)
      ? []
      : [
          [
            text.retries,
            group === undefined || group.retryStrategy === 'FALLBACK' ? (
              retryText(check.retryStrategy)
            ) : (
              <OfGroup key="retries" group={group}>
                {retryText(check.retryStrategy)}
              </OfGroup>
            ),
          ] as const,
        ]),
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
