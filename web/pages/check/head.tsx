// The head of the check page: state, since when, and actions.
import { Link, useNavigate } from '@tanstack/react-router';
import {
  BadgeCheck,
  BookOpen,
  Copy as CopyIcon,
  EllipsisVertical,
  Link2,
  Pause,
  Pencil,
  Play,
  Trash2,
} from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { use, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { useMay } from '../../api/me.ts';
import { read, useRead, useWrite } from '../../api/query.ts';
import { CheckBadge } from '../../ui/badges/badge-dialog.tsx';
import { text as badgeText } from '../../ui/badges/strings.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { isMutedAt, useCheckActions } from '../../ui/checks/check-actions.ts';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import { Muted } from '../../ui/checks/muted.tsx';
import { LocationNames } from '../../ui/checks/location-names.tsx';
import { isCalled, scheduleOf, showOf } from '../../ui/checks/kind.ts';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { type Action, ActionMenu } from '../../ui/controls/menu.tsx';
import { duration, sentence } from '../../ui/text/format.ts';
import { Acknowledgement, useOpenIncident } from '../../ui/alerts/acknowledgement.tsx';
import { StatusIncidentsOfCheck } from '../../ui/status-incidents/of-check.tsx';
import { Facts, PageHead } from '../../ui/layout/page.tsx';
import { type CheckState, Flags, RowState, StateBadge } from '../../ui/checks/state.tsx';
import { Ago, At, Lasting } from '../../ui/text/time.tsx';
import { useNow } from '../../ui/text/now.ts';
import { toast } from '../../ui/layout/toast.tsx';
import { RunNow } from './run-now.tsx';
import { text } from './strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;

/** The check in the overview, the only query with unknown state, maintenance and the last message. */
function useOverviewRow(check: Check) {
  const overview = useRead('getOverview', { query: { checkId: check.id, limit: 1 } });
  return overview.data?.rows.find(({ checkId }) => checkId === check.id);
}

export function CheckHead({ check }: { readonly check: Check }) {
  const row = useOverviewRow(check);
  const status = useRead('getCheckStatus', { params: { checkId: check.id } });
  const incident = useOpenIncident(check.id);
  const [runAt, setRunAt] = useState<number | null>(null);
  const state: CheckState | undefined =
    row?.state ?? (status.data?.state === 'pending' ? 'unknown' : status.data?.state);
  const since = row?.since ?? status.data?.since ?? null;
  const last = row?.lastResult ?? null;
  const isPing = isCalled(check.checkType);
  // A missing ping is a result, too.
  const pings = useQuery({
    ...read(use(AccountContext), 'listHeartbeatEvents', { params: { checkId: check.id } }),
    enabled: isPing,
  });
  const lastRunAt = isPing ? pings.data?.lastPingAt : row === undefined ? undefined : (last?.startedAt ?? null);
  const isMuted = isMutedAt(check, useNow());
  return (
    <>
      <PageHead
        title={check.name}
        above={
          <>
            <Link to="/" search={{}}>
              {text.checks}
            </Link>
            <span aria-hidden>/</span>
            <span>{showOf(check.checkType).label}</span>
            {check.groupId !== null && <GroupLink groupId={check.groupId} name={row?.groupName ?? null} />}
          </>
        }
      >
        <Actions check={check} isMuted={isMuted} onRun={() => setRunAt(Date.now())} />
      </PageHead>
      <div className={css['state']} data-state={state}>
        <div className={css['stateLine']}>
          {row !== undefined ? <RowState row={row} large /> : state !== undefined && <StateBadge state={state} large />}
          {since !== null && state !== 'paused' && (
            <span>
              for <Lasting since={since} /> <span className="quiet">since</span> <At at={since} />
            </span>
          )}
          <Flags
            suppressedBy={row?.suppressedBy ?? null}
            flappingSince={row?.flappingSince ?? null}
            inMaintenance={row?.inMaintenance ?? false}
            silent={row?.silent ?? check.notifiesNobody}
          />
          <Muted mute={check} byGroup={row?.muted ?? false} untilRecovery={text.untilRecovery} />
        </div>
        {last !== null && last.message !== null && last.outcome !== 'passed' && (
          <p className={css['lastMessage']}>
            {sentence(last.message)}{' '}
            <Link to="/checks/$checkId/results/$resultId" params={{ checkId: check.id, resultId: last.id }}>
              {text.showResult}
            </Link>
          </p>
        )}
        {incident !== undefined && (
          <div>
            <Acknowledgement incident={incident} />
          </div>
        )}
      </div>
      <StatusIncidentsOfCheck checkId={check.id} />
      {runAt !== null && <RunNow checkId={check.id} startedAt={runAt} onClose={() => setRunAt(null)} />}
      <HeadFacts check={check} url={row?.url ?? null} lastRunAt={lastRunAt} />
    </>
  );
}

function HeadFacts({
  check,
  url,
  lastRunAt,
}: {
  readonly check: Check;
  readonly url: string | null;
  /** undefined = not known yet. */
  readonly lastRunAt: string | null | undefined;
}) {
  const isPing = isCalled(check.checkType);
  const schedule = scheduleOf(check);
  const interval = duration(schedule.interval * 60_000);
  // Its group may decide where it runs.
  const placed = useRead('getCheck', { params: { id: check.id }, query: { applyGroupSettings: true } }).data ?? check;
  return (
    <>
      {check.description !== null && check.description !== '' && (
        <p className={css['description']}>{check.description}</p>
      )}
      {check.notes !== null && <p className={css['notes']}>{check.notes}</p>}
      {check.runbookUrl !== null && (
        <a className={css['runbook']} href={check.runbookUrl} target="_blank" rel="noreferrer">
          <BookOpen size={15} aria-hidden />
          {text.runbook}
        </a>
      )}
      {url !== null && !isPing && <p className={`mono ${css['url']}`}>{url}</p>}
      <div className={css['facts']}>
        <Facts
          facts={[
            isPing
              ? [text.expects, text.grace(interval, duration(schedule.grace * 60_000))]
              : [text.schedule, text.every(interval)],
            ...(placed.locations.length > 0
              ? [[text.locations, <LocationNames key="locations" codes={placed.locations} />] as const]
              : []),
            [
              isPing ? text.lastPing : text.lastRun,
              lastRunAt == null ? (
                lastRunAt === null ? (
                  text.neverRun
                ) : (
                  text.loadingValue
                )
              ) : (
                <Ago key="last" at={lastRunAt} />
              ),
            ],
            ...(check.nextRunAt === null ? [] : [[text.nextRun, <Ago key="next" at={check.nextRunAt} />] as const]),
          ]}
        />
        {check.tags.length > 0 && (
          <ul className={css['tags']} aria-label="Tags">
            {check.tags.map((tag) => (
              <li key={tag}>
                <Link to="/" search={{ tag }} className={css['tag']}>
                  {tag}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function GroupLink({ groupId, name }: { readonly groupId: number; readonly name: string | null }) {
  return (
    <>
      <span aria-hidden>/</span>
      <Link to="/groups/$groupId" params={{ groupId: String(groupId) }}>
        {name ?? text.loadingValue}
      </Link>
    </>
  );
}

function Actions({
  check,
  isMuted,
  onRun,
}: {
  readonly check: Check;
  readonly isMuted: boolean;
  readonly onRun: () => void;
}) {
  const { run, write } = useMay();
  const { change } = useCheckActions();
  const start = useWrite('createCheckTrigger');
  const named = { checkId: check.id, name: check.name };
  const startRun = (): void =>
    start.mutate({ params: { checkId: check.id } }, { onSuccess: onRun, onError: (error) => toast.fault(error) });
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [hasBadge, setBadge] = useState(false);
  const remove = useWrite('deleteCheck', ['getOverview', 'listChecks']);
  const mutes = useMuteActions(isMuted, (mute) => void change(named, mute));
  const actions: Action[] = [
    ...(write
      ? [
          ...mutes.actions,
          {
            id: 'pause',
            label: check.activated ? text.pause : text.resume,
            icon: check.activated ? <Pause size={16} /> : <Play size={16} />,
            run: () => void change(named, { activated: !check.activated }),
          },
          {
            id: 'edit',
            label: text.edit,
            icon: <Pencil size={16} />,
            run: () => void navigate({ to: '/checks/$checkId/edit', params: { checkId: check.id } }),
          },
          {
            id: 'copy',
            label: text.duplicate,
            icon: <CopyIcon size={16} />,
            run: () => void navigate({ to: '/checks/new', search: { copy: check.id } }),
          },
          { id: 'badge', label: badgeText.open, icon: <BadgeCheck size={16} />, run: () => setBadge(true) },
          { id: 'delete', label: text.remove, icon: <Trash2 size={16} />, run: () => setDeleting(true) },
        ]
      : []),
    {
      id: 'link',
      label: text.copyLink,
      icon: <Link2 size={16} />,
      run: () => void toast.of(navigator.clipboard.writeText(location.href), text.copiedLink),
    },
  ];
  return (
    <>
      {run && !isCalled(check.checkType) && (
        <Button kind="primary" isDisabled={!check.activated || start.isPending} onPress={startRun}>
          <Play size={15} aria-hidden /> {text.run}
        </Button>
      )}
      <ActionMenu
        label={text.actions}
        actions={actions}
        trigger={
          <IconButton label={text.actions}>
            <EllipsisVertical size={18} />
          </IconButton>
        }
      />
      {mutes.dialog}
      {hasBadge && <CheckBadge checkId={check.id} name={check.name} onClose={() => setBadge(false)} />}
      <Confirm
        title={text.removeTitle(check.name)}
        action={text.remove}
        isDanger
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id: check.id } });
          toast.done(text.removed(check.name));
          await navigate({ to: '/', search: {} });
        }}
      >
        <p>{text.removeHelp}</p>
      </Confirm>
    </>
  );
}
