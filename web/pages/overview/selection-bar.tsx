// Actions for the selected checks.
import { BellOff, Pause, Play, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { ActionMenu } from '../../ui/controls/menu.tsx';
import { type CheckChange, useCheckActions } from '../../ui/checks/check-actions.ts';
import { isCalled } from '../../ui/checks/kind.ts';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import type { OverviewRow } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Selected checks by id, stored here because a filter may remove them from the list. */
export type Selection = ReadonlyMap<string, Pick<OverviewRow, 'checkId' | 'name' | 'checkType' | 'activated'>>;

/** Actions on more checks than these are confirmed. */
const unaskedChecks = 20;

/** An action on some of the selected checks. */
interface Work {
  readonly action: string;
  /** What the confirmation says. */
  readonly help: string;
  /** Number of checks. */
  readonly count: number;
  readonly work: (onProgress: (done: number) => void) => Promise<void>;
}

/** Names in the bar; it shows a line of them. */
const shownNames = 100;

export function SelectionBar({ selected, onClear }: { readonly selected: Selection; readonly onClear: () => void }) {
  const { run, write } = useMay();
  const { start, change } = useCheckActions();
  const checks = [...selected.values()];
  const runnable = checks.filter(({ checkType, activated }) => activated && !isCalled(checkType));
  const names = checks.slice(0, shownNames).map(({ name }) => name);
  const { progress, ask, confirmation } = useWork(onClear);
  const changeTo = (body: CheckChange, action: string): void =>
    ask({
      action,
      help: text.changeHelp,
      count: checks.length,
      work: (onProgress) => change(checks, body, onProgress),
    });
  const mutes = useMuteActions(null, changeTo);
  if (progress !== null) {
    const label = text.progress(progress.done, progress.all);
    return (
      <div className={css['selection']} role="status">
        {label}
        <progress value={progress.done} max={progress.all} aria-label={label} />
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
          onPress={() =>
            ask({
              action: text.run,
              help: text.runHelp(checks.length - runnable.length),
              count: runnable.length,
              work: (onProgress) => start(runnable, onProgress),
            })
          }
        >
          <Play size={15} aria-hidden /> {text.runSome(runnable.length, checks.length)}
        </Button>
      )}
      {write && (
        <>
          <ActionMenu
            label={text.mute}
            actions={mutes.actions}
            trigger={
              <Button>
                <BellOff size={15} aria-hidden /> {text.mute}
              </Button>
            }
          />
          <Button onPress={() => changeTo({ activated: false }, text.pause)}>
            <Pause size={15} aria-hidden /> {text.pause}
          </Button>
          <Button onPress={() => changeTo({ activated: true }, text.resume)}>{text.resume}</Button>
        </>
      )}
      <IconButton label={text.clearSelection} onPress={onClear}>
        <X size={16} />
      </IconButton>
      {mutes.dialog}
      {confirmation}
    </div>
  );
}

/** Runs an action, after a confirmation if it is on many checks, and follows its progress. */
function useWork(onDone: () => void): {
  /** null = nothing runs. */
  readonly progress: { readonly done: number; readonly all: number } | null;
  readonly ask: (work: Work) => void;
  readonly confirmation: ReactNode;
} {
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number } | null>(null);
  const [asked, setAsked] = useState<Work | null>(null);
  const run = async ({ count: all, work }: Work): Promise<void> => {
    setProgress({ done: 0, all });
    await work((done) => setProgress({ done, all }));
    onDone();
  };
  const ask = (work: Work): void => (work.count > unaskedChecks ? setAsked(work) : void run(work));
  const confirmation = asked !== null && (
    <Confirm
      title={text.confirm(asked.action, asked.count)}
      action={asked.action}
      isOpen
      onClose={() => setAsked(null)}
      onConfirm={() => {
        void run(asked);
        return Promise.resolve();
      }}
    >
      <p>{asked.help}</p>
    </Confirm>
  );
  return { progress, ask, confirmation };
}
