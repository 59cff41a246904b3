// The menu entries that mute a check, or end its mutes.
import { BellOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '../controls/menu.tsx';
import { muteFor, type NamedCheck, unmuted, useCheckActions } from './check-actions.ts';
import { MuteDialog } from './mute-dialog.tsx';

const words = {
  hour: 'Mute for 1 hour',
  day: 'Mute for 24 hours',
  recovery: 'Mute until it recovers',
  until: 'Mute until…',
  always: 'Mute until unmuted',
  unmute: 'Unmute',
} as const;

/** The entries, and the dialog that one of them opens. */
export function useMuteActions(
  check: NamedCheck,
  isMuted: boolean,
): { readonly actions: readonly Action[]; readonly dialog: ReactNode } {
  const { change } = useCheckActions();
  const [isChoosing, setChoosing] = useState(false);
  const entry = (id: keyof typeof words, run: () => unknown): Action => ({
    id,
    label: words[id],
    icon: <BellOff size={16} />,
    run: () => void run(),
  });
  const actions = isMuted
    ? [entry('unmute', () => change([check], unmuted))]
    : [
        entry('hour', () => change([check], muteFor.hour())),
        entry('day', () => change([check], muteFor.day())),
        entry('recovery', () => change([check], muteFor.recovery())),
        entry('until', () => setChoosing(true)),
        entry('always', () => change([check], { ...unmuted, muted: true })),
      ];
  const dialog = (
    <MuteDialog
      isOpen={isChoosing}
      onClose={() => setChoosing(false)}
      onChoose={(at) => void change([check], muteFor.until(at))}
    />
  );
  return { actions, dialog };
}
