// What notifies through a channel: its checks and groups, each of which can be switched off or added.
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useMay } from '../../api/me.ts';
import { useWrite } from '../../api/query.ts';
import { Escalation, escalationWords } from '../../ui/alerts/escalation.tsx';
import { CheckPicker } from '../../ui/check-settings/check-picker.tsx';
import { CheckName } from '../../ui/checks/check-name.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/controls/dialog.tsx';
import { SearchChoice } from '../../ui/controls/field.tsx';
import { Flag } from '../../ui/form/text.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import css from './channels.module.css';

type Channel = AnswerOf<'getAlertChannel'>;

/** Subscriptions that are shown at a time. */
const pageSize = 20;
/** Checks that are subscribed at once. */
const maxAdded = 200;

const refreshes = ['getAlertChannel', 'listAlertChannels', 'getOverview', 'listNotices', 'getCheck'] as const;

export function Subscriptions({ channel: { id, subscriptions } }: { readonly channel: Channel }) {
  const { write } = useMay();
  const groups = useAll('listCheckGroups');
  const [shown, setShown] = useState(pageSize);
  const [adding, setAdding] = useState<'checks' | 'group' | null>(null);
  const subscribe = useWrite('putSubscription', refreshes);
  const add = useWrite('addSubscriptions', refreshes);
  const set = (to: Change): Promise<unknown> => subscribe.mutateAsync({ params: { id }, body: to });
  const nameOfGroup = (groupId: number): string =>
    groups.data?.find((group) => group.id === groupId)?.name ?? `${text.group} ${groupId}`;
  const addChecks = async (checkIds: readonly string[]): Promise<void> => {
    await add.mutateAsync({ params: { id }, body: { subscriptions: checkIds.map((checkId) => ({ checkId })) } });
    toast.done(text.subscribedMore(checkIds.length));
  };
  return (
    <Section
      title={text.subscriptions}
      aside={
        write && (
          <span className={css['buttons']}>
            <Button onPress={() => setAdding('checks')}>
              <Plus size={15} aria-hidden /> {text.addChecks}
            </Button>
            {(groups.data?.length ?? 0) > 0 && (
              <Button onPress={() => setAdding('group')}>
                <Plus size={15} aria-hidden /> {text.addGroup}
              </Button>
            )}
          </span>
        )
      }
    >
      {subscriptions.length === 0 ? (
        <p className="quiet">{text.noSubscriptions}</p>
      ) : (
        <Table
          label={text.subscriptions}
          rows={subscriptions.slice(0, shown)}
          keyOf={(each) => String(each.id)}
          columns={[
            {
              id: 'name',
              title: text.subscribedTo,
              isName: true,
              cell: (each) => <Subscribed {...each} nameOfGroup={nameOfGroup} />,
            },
            {
              id: 'notifies',
              title: text.notifies,
              cell: (each) => <Switch {...each} isWritable={write} onChange={set} />,
            },
            {
              id: 'when',
              title: text.when,
              cell: (each) => <When {...each} isWritable={write} onChange={set} />,
            },
          ]}
        />
      )}
      {subscriptions.length > shown && (
        <Button onPress={() => setShown(shown + 5 * pageSize)}>{text.showMore(shown, subscriptions.length)}</Button>
      )}
      {adding === 'checks' && (
        <CheckPicker
          title={text.addChecks}
          without={subscriptions.flatMap(({ checkId }) => checkId ?? [])}
          max={maxAdded}
          onClose={() => setAdding(null)}
          onChoose={addChecks}
        />
      )}
      <Panel title={text.addGroup} isOpen={adding === 'group'} onClose={() => setAdding(null)}>
        <SearchChoice
          label={text.chooseGroup}
          help={text.groupHelp}
          none={text.noGroup}
          value=""
          options={(groups.data ?? [])
            .filter((group) => !subscriptions.some(({ groupId }) => groupId === group.id))
            .map((group) => [String(group.id), group.name] as const)}
          onChange={(groupId) => {
            setAdding(null);
            void toast.of(set({ groupId: Number(groupId), activated: true }), text.subscribedGroup);
          }}
        />
      </Panel>
    </Section>
  );
}

type Subscription = Channel['subscriptions'][number];

function Subscribed({
  checkId,
  groupId,
  nameOfGroup,
}: Subscription & { readonly nameOfGroup: (groupId: number) => string }) {
  if (checkId !== null) return <CheckName checkId={checkId} />;
  return (
    <p>
      <Link to="/groups/$groupId" params={{ groupId: String(groupId) }} search={{}}>
        {nameOfGroup(groupId ?? 0)}
      </Link>{' '}
      <span className="quiet">{text.group}</span>
    </p>
  );
}

interface Change extends Pick<Subscription, 'activated'>, Partial<Pick<Subscription, 'escalationMinutes'>> {
  readonly checkId?: string;
  readonly groupId?: number;
}

interface Changeable extends Subscription {
  readonly isWritable: boolean;
  readonly onChange: (to: Change) => Promise<unknown>;
}

/** The subscription as it is written. */
function written({ checkId, groupId, activated, escalationMinutes }: Subscription): Change {
  return { ...(checkId !== null ? { checkId } : { groupId: groupId ?? 0 }), activated, escalationMinutes };
}

/** When the channel is notified. */
function When({ isWritable, onChange, ...subscription }: Changeable) {
  const { escalationMinutes: minutes } = subscription;
  if (!isWritable) return <>{escalationWords(minutes)}</>;
  const set = (escalationMinutes: number): void => {
    const change = onChange({ ...written(subscription), escalationMinutes });
    void toast.of(change, text.escalates(escalationWords(escalationMinutes)));
  };
  return <Escalation of="" minutes={minutes} onChange={set} />;
}

function Switch({ isWritable, onChange, ...subscription }: Changeable) {
  const { activated } = subscription;
  const state = activated ? text.isOn : text.isOff;
  if (!isWritable) return <>{state}</>;
  const to = written(subscription);
  return (
    <Flag
      label={state}
      value={activated}
      onChange={(isOn) =>
        void toast.of(onChange({ ...to, activated: isOn }), isOn ? text.switchedOn : text.switchedOff)
      }
    />
  );
}
