// Asks until when to mute.
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Panel } from '../controls/dialog.tsx';
import css from './mute-dialog.module.css';

const words = {
  title: 'Mute until',
  until: 'Time',
  past: 'Choose a time in the future.',
  cancel: 'Cancel',
  mute: 'Mute',
} as const;

/** @param onChoose receives epoch ms */
export function MuteDialog({
  onClose,
  onChoose,
}: {
  readonly onClose: () => void;
  readonly onChoose: (until: number) => void;
}) {
  const [value, setValue] = useState('');
  const [isPast, setPast] = useState(false);
  const choose = (): void => {
    // Without a zone: the viewer's.
    const until = new Date(value).getTime();
    if (!(until > Date.now())) return setPast(true);
    onClose();
    onChoose(until);
  };
  return (
    <Panel title={words.title} isOpen onClose={onClose}>
      <label className={css['until']}>
        {words.until}
        <input type="datetime-local" value={value} onChange={(event) => setValue(event.target.value)} />
      </label>
      {isPast && (
        <p role="alert" className={css['fault']}>
          {words.past}
        </p>
      )}
      <div className={css['actions']}>
        <Button kind="quiet" onPress={onClose}>
          {words.cancel}
        </Button>
        <Button kind="primary" onPress={choose}>
          {words.mute}
        </Button>
      </div>
    </Panel>
  );
}
