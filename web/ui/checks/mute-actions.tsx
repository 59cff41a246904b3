// The choices of every menu that mutes: a check, selected checks, or a group.
import { BellOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '../controls/menu.tsx';
import { dayAndTime } from '../text/format.ts';
import type { Mute } from './check-actions.ts';
import { MuteDialog } from './mute-dialog.tsx';

const hourMs = 3_600_000;
const none: Mute = { muted: false, mutedUntil: null, mutedUntilRecovery: false };
const until = (at: number): Mute => ({ ...none, mutedUntil: new Date(at).toISOString() });

interface Choice {
  readonly id: string;
  readonly label: string;
  /** null = asks until when. */
  readonly mute: (() => Mute) | null;
}

const choices: readonly Choice[] = [
  { id: 'hour', label: 'Mute for 1 hour', mute: () => until(Date.now() + hourMs) },
  { id: 'day', label: 'Mute for 24 hours', mute: () => until(Date.now() + 24 * hourMs) },
  { id: 'until', label: 'Mute until…', mute: null },
  { id: 'recovery', label: 'Mute until recovery', mute: () => ({ ...none, mutedUntilRecovery: true }) },
  { id: 'always', label: 'Mute until unmuted', mute: () => ({ ...none, muted: true }) },
];
const unmute: Choice = { id: 'unmute', label: 'Unmute', mute: () => none };

/**
 * The entries, and the dialog that one of them opens.
 * @param isMuted null = some may be: the entries mute and unmute
 * @param change receives the mute and its words
 */
export function useMuteActions(
  isMuted: boolean | null,
  change: (mute: Mute, label: string) => void,
): { readonly actions: readonly Action[]; readonly dialog: ReactNode } {
  const [isChoosing, setChoosing] = useState(false);
  const shown = isMuted === null ? [...choices, unmute] : isMuted ? [unmute] : choices;
  return {
    actions: shown.map(({ id, label, mute }) => ({
      id,
      label,
      icon: <BellOff size={16} />,
      run: () => (mute === null ? setChoosing(true) : change(mute(), label)),
    })),
    // Mounted while open, so that it starts empty.
    dialog: isChoosing && (
      <MuteDialog
        onClose={() => setChoosing(false)}
        onChoose={(at) => change(until(at), `Mute until ${dayAndTime(at)}`)}
      />
    ),
  };
}
