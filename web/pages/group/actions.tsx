// Edits, mutes, duplicates and deletes a group.
import { useNavigate } from '@tanstack/react-router';
import { BadgeCheck, Copy, EllipsisVertical, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { GroupBadge } from '../../ui/badges/badge-dialog.tsx';
import { text as badgeText } from '../../ui/badges/strings.ts';
import { isMutedAt, type Mute, muteOf, restored, verbOf } from '../../ui/checks/check-actions.ts';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { ActionMenu } from '../../ui/controls/menu.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { useNow } from '../../ui/text/now.ts';
import { text } from './strings.ts';

type Group = AnswerOf<'getCheckGroup'>;

export function GroupActions({ group }: { readonly group: Group }) {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [hasBadge, setBadge] = useState(false);
  const update = useWrite('updateCheckGroupV2', ['getCheckGroup', 'getOverview']);
  const change = async (body: Mute, done: string, undo?: () => void): Promise<void> =>
    toast.of(update.mutateAsync({ params: { id: group.id }, body }), `${done} ${group.name}`, undo);
  const mutes = useMuteActions(isMutedAt(group, useNow()), (mute) => {
    const before = muteOf(group);
    void change(mute, verbOf(mute), () => void change(restored(before), text.restored));
  });
  return (
    <>
      <Button onPress={() => void navigate({ to: '/groups/$groupId/edit', params: { groupId: String(group.id) } })}>
        <Pencil size={15} aria-hidden /> {text.edit}
      </Button>
      <ActionMenu
        label={text.actions}
        actions={[
          ...mutes.actions,
          {
            id: 'duplicate',
            label: text.duplicate,
            icon: <Copy size={16} />,
            run: () => void navigate({ to: '/groups/new', search: { copy: group.id } }),
          },
          { id: 'badge', label: badgeText.open, icon: <BadgeCheck size={16} />, run: () => setBadge(true) },
          {
            id: 'delete',
            label: text.remove,
            icon: <Trash2 size={16} />,
            isDanger: true,
            run: () => setDeleting(true),
          },
        ]}
        trigger={
          <IconButton label={text.actions}>
            <EllipsisVertical size={18} />
          </IconButton>
        }
      />
      {mutes.dialog}
      {hasBadge && <GroupBadge groupId={group.id} name={group.name} onClose={() => setBadge(false)} />}
      {isDeleting && <Deletion group={group} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Asks before the deletion, with the number of checks that it affects. */
function Deletion({ group: { id, name }, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const members = useRead('getOverview', { query: { groupId: String(id), limit: 1 } });
  const remove = useWrite('deleteCheckGroup', ['listCheckGroups', 'getOverview', 'getCheck', 'listNotices']);
  return (
    <Confirm
      title={text.removeTitle(name)}
      action={text.remove}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id } });
        toast.done(text.removed(name));
        await navigate({ to: '/groups' });
      }}
    >
      <p>{members.data === undefined ? '…' : text.removeHelp(members.data.total)}</p>
    </Confirm>
  );
}
