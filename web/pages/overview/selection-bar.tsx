// Actions for the selected checks.
import { BellOff, Pause, Play, X } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { type CheckChange, muteFor, unmuted, useCheckActions } from '../../ui/checks/check-actions.ts';
import { MuteDialog } from '../../ui/checks/mute-dialog.tsx';
import type { OverviewRow } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Selected checks by id, stored here because a filter may remove them from the list. */
export type Selection = ReadonlyMap<string, Pick<OverviewRow, 'checkId' | 'name' | 'checkType'>>;

/** Actions on more checks than these are confirmed. */
const unaskedChecks = 20;

/** An action that waits for its confirmation. */
interface Asked {
  readonly action: string;
  readonly count: number;
  readonly work: (onProgress: (done: number) => void) => Promise<void>;
}

/** Names in the bar; it shows a line of them. */
const shownNames = 100;

export function SelectionBar({ selected, onClear }: { readonly selected: Selection; readonly onClear: () => void }) {
  const { run, write } = useMay();
  const { start, change } = useCheckActions();
  const checks = [...selected.values()];
  // Heartbeats wait for pings.
  const runnable = checks.filter(({ checkType }) => checkType !== 'HEARTBEAT');
  const names = checks.slice(0, shownNames).map(({ name }) => name);
  const [progress, setProgress] = useState<number | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const then = async (work: (onProgress: (done: number) => void) => Promise<void>): Promise<void> => {
    setProgress(0);
    await work(setProgress);
    onClear();
  };
  /** Actions on many checks are confirmed. */
  const ask = (action: string, count: number, work: Asked['work']): void => {
    if (count > unaskedChecks) setAsked({ action, count, work });
    else void then(work);
  };
  const changeTo = (action: string, body: CheckChange): void =>
    ask(action, checks.length, (onProgress) => change(checks, body, onProgress));
  if (progress !== null) {
    return (
      <div className={css['selection']} role="status">
        {text.progress(progress, checks.length)}
        <progress value={progress} max={checks.length} aria-label={text.progress(progress, checks.length)} />
      </div>
    );
  }
  return (
    <div className={css['selection']} role="toolbar" aria-label={text.selected(checks.length)}>
      <div className={css['selected']}>
        <strong>{text.selected(checks.length)}</strong>
        <span className={css['selectedNames']} title={names.join('\n')}>
          {names.join(', ')}
        </span>
      </div>
      {run && (
        <Button
          isDisabled={runnable.length === 0}
          onPress={() => ask(text.run, runnable.length, (onProgress) => start(runnable, onProgress))}
        >
          <Play size={15} aria-hidden /> {text.runSome(runnable.length, checks.length)}
        </Button>
      )}
      {write && (
        <>
          <Button onPress={() => changeTo(text.muteHour, muteFor.hour())}>
            <BellOff size={15} aria-hidden /> {text.muteHour}
          </Button>
          <Button onPress={() => changeTo(text.muteUntilRecovery, muteFor.recovery())}>{text.muteUntilRecovery}</Button>
          <Button onPress={() => setChoosing(true)}>{text.muteUntil}</Button>
          <Button onPress={() => changeTo(text.unmute, unmuted)}>{text.unmute}</Button>
          <Button onPress={() => changeTo(text.pause, { activated: false })}>
            <Pause size={15} aria-hidden /> {text.pause}
          </Button>
          <Button onPress={() => changeTo(text.resume, { activated: true })}>{text.resume}</Button>
        </>
      )}
      <IconButton label={text.clearSelection} onPress={onClear}>
        <X size={16} />
      </IconButton>
      <MuteDialog
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
        onChoose={(at) => changeTo(text.mute, muteFor.until(at))}
      />
      {asked !== null && (
        <Confirm
          title={text.confirm(asked.action, asked.count)}
          action={asked.action}
          isOpen
          onClose={() => setAsked(null)}
          onConfirm={() => {
            void then(asked.work);
            return Promise.resolve();
          }}
        >
          <p>{text.confirmHelp}</p>
        </Confirm>
      )}
    </div>
  );
}
