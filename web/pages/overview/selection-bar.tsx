// Actions for the selected checks.
import { BellOff, Pause, Play, X } from 'lucide-react';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { muteFor, unmuted, useCheckActions } from '../../ui/checks/check-actions.ts';
import type { OverviewRow } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Selected checks by id, stored here because a filter may remove them from the list. */
export type Selection = ReadonlyMap<string, Pick<OverviewRow, 'checkId' | 'name' | 'checkType'>>;

/** Names in the bar; it shows a line of them. */
const shownNames = 100;

export function SelectionBar({ selected, onClear }: { readonly selected: Selection; readonly onClear: () => void }) {
  const { run, write } = useMay();
  const { start, change } = useCheckActions();
  const checks = [...selected.values()];
  // Heartbeats wait for pings.
  const runnable = checks.filter(({ checkType }) => checkType !== 'HEARTBEAT');
  const names = checks.slice(0, shownNames).map(({ name }) => name);
  const then = (work: Promise<void>): void => void work.then(onClear);
  return (
    <div className={css['selection']} role="toolbar" aria-label={text.selected(checks.length)}>
      <div className={css['selected']}>
        <strong>{text.selected(checks.length)}</strong>
        <span className={css['selectedNames']} title={names.join('\n')}>
          {names.join(', ')}
        </span>
      </div>
      {run && (
        <Button isDisabled={runnable.length === 0} onPress={() => then(start(runnable))}>
          <Play size={15} aria-hidden /> {text.runSome(runnable.length, checks.length)}
        </Button>
      )}
      {write && (
        <>
          <Button onPress={() => then(change(checks, muteFor.hour()))}>
            <BellOff size={15} aria-hidden /> {text.muteHour}
          </Button>
          <Button onPress={() => then(change(checks, muteFor.recovery()))}>{text.muteUntilRecovery}</Button>
          <Button onPress={() => then(change(checks, unmuted))}>{text.unmute}</Button>
          <Button onPress={() => then(change(checks, { activated: false }))}>
            <Pause size={15} aria-hidden /> {text.pause}
          </Button>
          <Button onPress={() => then(change(checks, { activated: true }))}>{text.resume}</Button>
        </>
      )}
      <IconButton label={text.clearSelection} onPress={onClear}>
        <X size={16} />
      </IconButton>
    </div>
  );
}
