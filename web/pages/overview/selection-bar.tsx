// Actions for the selected checks: run them, or change them together.
import { BellOff, Pause, Pencil, Play, Trash2, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { ActionMenu } from '../../ui/controls/menu.tsx';
import { type BulkWanted, useBulkChanges } from '../../ui/checks/bulk-changes.ts';
import { useCheckActions, verbOf } from '../../ui/checks/check-actions.ts';
import { isCalled } from '../../ui/checks/kind.ts';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import type { OverviewRow } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Loaded when it opens: it contains the fields of a form. */
const ChangeDialog = lazy(async () => ({ default: (await import('./change-dialog.tsx')).ChangeDialog }));

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
  /** It cannot be undone: it is always confirmed. */
  readonly isDanger?: true;
  readonly work: (onProgress: (done: number) => void) => Promise<void>;
}

/** Names in the bar; it shows a line of them. */
const shownNames = 100;

export function SelectionBar({ selected, onClear }: { readonly selected: Selection; readonly onClear: () => void }) {
  const { run: mayRun, write } = useMay();
  const { start } = useCheckActions();
  const checks = [...selected.values()];
  const runnable = checks.filter(({ checkType, activated }) => activated && !isCalled(checkType));
  const names = checks.slice(0, shownNames).map(({ name }) => name);
  const { progress, confirmation, ...works } = useWork(onClear);
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
      {mayRun && (
        <Button
          isDisabled={runnable.length === 0}
          onPress={() =>
            works.ask({
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
      {write && <Changes checkIds={[...selected.keys()]} {...works} />}
      <IconButton label={text.clearSelection} onPress={onClear}>
        <X size={16} />
      </IconButton>
      {confirmation}
    </div>
  );
}

/** What changes the selected checks together. */
function Changes({ checkIds, ask, run }: Pick<Works, 'ask' | 'run'> & { readonly checkIds: readonly string[] }) {
  const { apply } = useBulkChanges();
  const [isEditing, setEditing] = useState(false);
  const workOf = (wanted: BulkWanted, action: string, verb: string): Work => ({
    action,
    help: text.changeHelp,
    count: checkIds.length,
    work: (onProgress) => apply(checkIds, wanted, verb, onProgress),
  });
  const deletion: Work = {
    ...workOf({ delete: true }, text.delete, text.deleted),
    help: text.deleteHelp(checkIds.length),
    isDanger: true,
  };
  const mutes = useMuteActions(null, (mute, action) => ask(workOf({ change: mute }, action, verbOf(mute))));
  return (
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
      <Button onPress={() => ask(workOf({ change: { activated: false } }, text.pause, text.paused))}>
        <Pause size={15} aria-hidden /> {text.pause}
      </Button>
      <Button onPress={() => ask(workOf({ change: { activated: true } }, text.resume, text.resumed))}>
        {text.resume}
      </Button>
      <Button onPress={() => setEditing(true)}>
        <Pencil size={15} aria-hidden /> {text.edit}
      </Button>
      <Button onPress={() => ask(deletion)}>
        <Trash2 size={15} aria-hidden /> {text.delete}
      </Button>
      {mutes.dialog}
      {isEditing && (
        <Suspense fallback={null}>
          <ChangeDialog
            checkIds={checkIds}
            onClose={() => setEditing(false)}
            // The dialog has asked.
            onApply={(change) => void run(workOf({ change }, text.change, text.changed))}
          />
        </Suspense>
      )}
    </>
  );
}

interface Works {
  /** null = nothing runs. */
  readonly progress: { readonly done: number; readonly all: number } | null;
  readonly ask: (work: Work) => void;
  /** Runs it without asking. */
  readonly run: (work: Work) => Promise<void>;
  readonly confirmation: ReactNode;
}

/** Runs an action, after a confirmation if it is on many checks, and follows its progress. */
function useWork(onDone: () => void): Works {
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number } | null>(null);
  const [asked, setAsked] = useState<Work | null>(null);
  const run = async ({ count: all, work }: Work): Promise<void> => {
    setProgress({ done: 0, all });
    await work((done) => setProgress({ done, all }));
    onDone();
  };
  const ask = (work: Work): void => (work.isDanger || work.count > unaskedChecks ? setAsked(work) : void run(work));
  const confirmation = asked !== null && (
    <Confirm
      title={text.confirm(asked.action, asked.count)}
      action={asked.action}
      isDanger={asked.isDanger ?? false}
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
  return { progress, ask, run, confirmation };
}
