// A group: its checks, its settings, and running all of them with live progress.
import { Link, useParams } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { LastChange } from '../../ui/layout/last-change.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Muted } from '../../ui/checks/muted.tsx';
import { OlderAssertionsOfGroup } from '../../ui/checks/older-assertions.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { GroupActions } from './actions.tsx';
import { Members } from './members.tsx';
import { Progress } from './progress.tsx';
import { Settings } from './settings.tsx';
import { text } from './strings.ts';
import css from './group.module.css';

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
        {write && <GroupActions group={group.data} />}
      </PageHead>
      <OlderAssertionsOfGroup group={group.data} />
      {run && <Progress groupId={id} isFollowed={isStarted} />}
      <Members groupId={id} />
      <Section title={text.settings}>
        <p className={`quiet ${css['help']}`}>{text.settingsHelp}</p>
        <Settings group={group.data} />
        <LastChange
          resource="check-group"
          id={groupId}
          createdAt={group.data.created_at}
          updatedAt={group.data.updated_at}
        />
      </Section>
      {run && (
        <Section title={text.ci}>
          <CiSnippet groupId={id} />
        </Section>
      )}
    </>
  );
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
