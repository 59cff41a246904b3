// A dialog in which checks are found by a part of their name, tag or URL, and many are chosen at once.
import { useState } from 'react';
import { useRead } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { Panel } from '../controls/dialog.tsx';
import { SearchBox } from '../controls/field.tsx';
import { Flag } from '../form/text.tsx';
import { ErrorMessage, Skeleton } from '../layout/feedback.tsx';
import { count, plural } from '../text/format.ts';
import css from './check-picker.module.css';

/** Checks that are shown at a time. */
const shown = 100;

interface PickerProps {
  readonly title: string;
  /** IDs of checks that cannot be chosen: they are chosen already. */
  readonly without: readonly string[];
  /** Checks that can be chosen at most. */
  readonly max: number;
  readonly onClose: () => void;
  /** Rejects if they cannot be used; the dialog then says why. */
  readonly onChoose: (checkIds: readonly string[]) => Promise<unknown>;
}

export function CheckPicker({ title, without, max, onClose, onChoose }: PickerProps) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const found = useRead('getOverview', { query: { sort: 'name', limit: shown, ...(search !== '' && { search }) } });
  const rows = (found.data?.rows ?? []).filter(({ checkId }) => !without.includes(checkId));
  const isFull = chosen.length >= max;
  const choose = async (): Promise<void> => {
    setRunning(true);
    try {
      await onChoose(chosen);
      onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Panel title={title} isOpen onClose={onClose}>
      <SearchBox label="Name, tag or URL" value={search} onChange={setSearch} />
      {found.data === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <div className={css['found']} role="group" aria-label="Checks">
          {rows.length === 0 && <p className="quiet">No other check matches.</p>}
          {rows.map(({ checkId, name, groupName }) => (
            <Flag
              key={checkId}
              label={
                <span className={css['name']}>
                  {name} {groupName !== null && <span className="quiet">in {groupName}</span>}
                </span>
              }
              value={chosen.includes(checkId)}
              onChange={(isChosen) =>
                setChosen(isChosen ? [...chosen, checkId].slice(0, max) : chosen.filter((each) => each !== checkId))
              }
            />
          ))}
        </div>
      )}
      {(found.data?.total ?? 0) > shown && (
        <p className="quiet">
          {count(shown)} of {plural(found.data?.total ?? 0, 'check')}. Search to find the others.
        </p>
      )}
      {isFull && <p className="quiet">At most {plural(max, 'check')} at once.</p>}
      {fault !== null && <ErrorMessage error={fault} />}
      <div className={css['actions']}>
        {rows.length > 1 && !isFull && (
          <Button
            kind="quiet"
            onPress={() => setChosen([...new Set([...chosen, ...rows.map(({ checkId }) => checkId)])].slice(0, max))}
          >
            Select all shown
          </Button>
        )}
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
        <Button kind="primary" isDisabled={isRunning || chosen.length === 0} onPress={() => void choose()}>
          {chosen.length === 0 ? 'Add' : `Add ${plural(chosen.length, 'check')}`}
        </Button>
      </div>
    </Panel>
  );
}
