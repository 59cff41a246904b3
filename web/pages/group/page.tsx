// A group: its checks, its settings, and running all of them with live progress.
import { CheckName } from '../../ui/checks/check-name.tsx';
import { Link, useParams } from '@tanstack/react-router';
import { EllipsisVertical, Play } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { ActionMenu } from '../../ui/controls/menu.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { isMutedAt, type Mute, muteOf, restored, verbOf } from '../../ui/checks/check-actions.ts';
import { LocationNames } from '../../ui/checks/location-names.tsx';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import { Muted } from '../../ui/checks/muted.tsx';
import { OlderAssertionsOfGroup } from '../../ui/checks/older-assertions.tsx';
import { Flags, StateBadge } from '../../ui/checks/state.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { useNow } from '../../ui/text/now.ts';
import { Ago } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Progress } from './progress.tsx';
import { text } from './strings.ts';
import css from './group.module.css';

type Group = AnswerOf<'getCheckGroup'>;

export function GroupPage() {
  const { groupId } = useParams({ from: '/shell/groups/$groupId' });
  const id = Number(groupId);
  const { run, write } = useMay();
  const [isStarted, setStarted] = useState(false);
  const group = useRead('getCheckGroup', { params: { id } });
  const trigger = useWrite('createGroupTrigger', ['getGroupTrigger', 'listGroupTriggerRuns']);
  if (group.error && group.data === undefined) {
    return <LoadError error={group.error} onRetry={() => void group.refetch()} />;
  }
  if (group.data === undefined) return <Skeleton lines={6} />;
  const start = async (): Promise<void> => {
    await trigger.mutateAsync({ params: { groupId: id } });
    setStarted(true);
  };
  return (
    <>
      <PageHead title={group.data.name} above={<Link to="/groups">{text.all}</Link>}>
        <Muted mute={group.data} untilRecovery={text.untilRecovery} />
        {run && (
          <Button kind="primary" isDisabled={trigger.isPending} onPress={() => void toast.of(start(), text.started)}>
            <Play size={15} aria-hidden /> {text.trigger}
          </Button>
        )}
        {write && <MuteMenu group={group.data} />}
      </PageHead>
      <OlderAssertionsOfGroup group={group.data} />
      {run && <Progress groupId={id} isFollowed={isStarted} />}
      <Section title={text.members}>
        <Members groupId={groupId} />
      </Section>
      <Section title={text.settings}>
        <p className={`quiet ${css['help']}`}>{text.settingsHelp}</p>
        <Settings group={group.data} />
      </Section>
      {run && (
        <Section title={text.ci}>
          <CiSnippet groupId={id} />
        </Section>
      )}
    </>
  );
}

function MuteMenu({ group }: { readonly group: Group }) {
  const update = useWrite('updateCheckGroupV2', ['getCheckGroup', 'getOverview']);
  const change = async (body: Mute, done: string, undo?: () => void): Promise<void> =>
    toast.of(update.mutateAsync({ params: { id: group.id }, body }), `${done} ${group.name}`, undo);
  const mutes = useMuteActions(isMutedAt(group, useNow()), (mute) => {
    const before = muteOf(group);
    void change(mute, verbOf(mute), () => void change(restored(before), text.restored));
  });
  return (
    <>
      <ActionMenu
        label={text.actions}
        actions={mutes.actions}
        trigger={
          <IconButton label={text.actions}>
            <EllipsisVertical size={18} />
          </IconButton>
        }
      />
      {mutes.dialog}
    </>
  );
}

function Members({ groupId }: { readonly groupId: string }) {
  const { data, error, refetch } = useRead('getOverview', { query: { groupId, limit: 200 } });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (data.rows.length === 0) return <Empty title={text.noMembers} />;
  return (
    <Table
      label={text.members}
      rows={data.rows}
      keyOf={({ checkId }) => checkId}
      columns={[
        {
          id: 'name',
          title: text.columns.name,
          isName: true,
          cell: ({ checkId, name, ...flags }) => (
            <>
              <Link to="/checks/$checkId" params={{ checkId }} data-row>
                {name}
              </Link>{' '}
              <Flags
                suppressedBy={flags.suppressedBy}
                flappingSince={flags.flappingSince}
                muted={flags.muted}
                inMaintenance={flags.inMaintenance}
                silent={flags.silent}
              />
            </>
          ),
        },
        { id: 'state', title: text.columns.state, cell: ({ state }) => <StateBadge state={state} /> },
        {
          id: 'last',
          title: text.columns.last,
          cell: ({ lastRunAt }) => (lastRunAt === null ? text.never : <Ago at={lastRunAt} />),
        },
      ]}
    />
  );
}

/** Checks whose failure suppresses alerts of the checks of the group. */
function Needed({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((checkId, index) => (
    <span key={checkId}>
      {index > 0 && ', '}
      <CheckName checkId={checkId} />
    </span>
  ));
}

function Settings({ group }: { readonly group: Group }) {
  const { fields } = text;
  const flag = (value: boolean | null): string => (value === null ? text.ofCheck : value ? text.yes : text.no);
  return (
    <Facts
      facts={[
        [fields.activated, flag(group.activated)],
        [fields.muted, flag(isMutedAt(group, useNow()))],
        ...(group.dependsOn.length > 0
          ? [[fields.dependsOn, <Needed key="needed" ids={group.dependsOn} />] as const]
          : []),
        [
          fields.locations,
          group.locations.length === 0 ? text.ofCheck : <LocationNames key="locations" codes={group.locations} />,
        ],
        [fields.concurrency, group.concurrency],
        [fields.runtimeId, group.runtimeId ?? text.ofAccount],
        [fields.runParallel, flag(group.runParallel)],
        [
          fields.alerts,
          group.useGlobalAlertSettings === true
            ? text.ofAccount
            : (group.alertSettings?.escalationType ?? text.ofCheck),
        ],
        [fields.retries, retryText(group.retryStrategy)],
        [fields.variables, group.environmentVariables?.length ?? 0],
      ]}
    />
  );
}

function retryText(strategy: Group['retryStrategy']): string {
  return typeof strategy === 'object' && strategy !== null ? strategy.type : text.ofCheck;
}

function CiSnippet({ groupId }: { readonly groupId: number }) {
  const trigger = useRead('getGroupTrigger', { params: { groupId } });
  if (trigger.data === undefined) return <p className="quiet">{text.noTrigger}</p>;
  return (
    <>
      <p className="quiet">{text.ciHelp}</p>
      <Code
        label={text.ci}
        text={`curl --fail-with-body "${location.origin}/check-groups/${groupId}/trigger/${trigger.data.token}?maxWaitSeconds=120"`}
      />
    </>
  );
}
