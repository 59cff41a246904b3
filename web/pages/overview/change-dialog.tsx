// The dialog that changes the selected checks: what to change, and what that does to how many of them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { FormValue } from '#lib/schema/form.ts';
import { type BulkChange, type BulkWanted, reasonsOf, useBulkChanges } from '../../ui/checks/bulk-changes.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/controls/dialog.tsx';
import { type Draft, withValue } from '../../ui/form/draft.ts';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { FaultsContext, Flag } from '../../ui/form/text.tsx';
import { aspects, editOf } from './change-fields.tsx';
import { text } from './strings.ts';
import parts from '../../ui/controls/dialog.module.css';
import css from './change-dialog.module.css';

interface DialogProps {
  readonly checkIds: readonly string[];
  readonly onClose: () => void;
  readonly onApply: (change: NonNullable<BulkWanted['change']>) => void;
}

export function ChangeDialog({ checkIds, onClose, onApply }: DialogProps) {
  const [draft, setDraft] = useState<Draft>({});
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const change = (path: string, value: FormValue): void => setDraft((before) => withValue(before, path, value));
  const edit = editOf(draft, chosen);
  const { data, error, isCurrent } = usePreview(checkIds, edit);
  const faults = faultsOf(error);
  return (
    <Panel title={text.changeTitle(checkIds.length)} isOpen onClose={onClose}>
      <FaultsContext value={faults}>
        <div className={css['aspects']}>
          {aspects.map(({ id, label, start, Fields }) => {
            const isChosen = chosen.includes(id);
            return (
              <div key={id} className={css['aspect']}>
                <Flag
                  label={label}
                  value={isChosen}
                  onChange={(isOn) => {
                    setChosen(isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
                    if (isOn) setDraft((before) => ({ ...start, ...before }));
                  }}
                />
                {isChosen && (
                  <div className={css['fields']} role="group" aria-label={label}>
                    <Fields draft={draft} onChange={change} />
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </FaultsContext>
      <div className={css['footer']}>
        <div role="status" aria-busy={edit !== null && !isCurrent} className={css['preview']}>
          {edit === null ? (
            <p className="quiet">{text.chooseChange}</p>
          ) : (
            data !== undefined && <Effect change={data} />
          )}
        </div>
        <FaultList error={error} faults={faults} />
        <div className={parts['actions']}>
          <Button kind="quiet" onPress={onClose}>
            {text.cancel}
          </Button>
          <Button
            kind="primary"
            isDisabled={edit === null || !isCurrent || data === undefined || data.changed === 0}
            onPress={() => {
              if (edit === null) return;
              onClose();
              onApply(edit);
            }}
          >
            {isCurrent && data !== undefined ? text.changeSome(data.changed) : text.change}
          </Button>
        </div>
      </div>
    </Panel>
  );
}

/** Asks what the edit would do. `isCurrent` = the answer is about the present edit. */
function usePreview(checkIds: readonly string[], edit: BulkWanted['change'] | null) {
  const { preview } = useBulkChanges();
  // A list of thousands of IDs is no part of the key: it stays the same while the dialog is open.
  const dialog = useId();
  const asked = JSON.stringify(edit);
  const query = useQuery({
    queryKey: ['check-change-preview', dialog, asked],
    queryFn: async ({ signal }) => {
      await settled(signal);
      return preview(checkIds, { change: JSON.parse(asked) as NonNullable<BulkWanted['change']> }, signal);
    },
    enabled: edit !== null,
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = query.isSuccess && !query.isPlaceholderData;
  return { data: query.data, error: edit === null ? null : query.error, isCurrent };
}

/** Time without another change after which the server is asked, ms. */
const pauseMs = 300;

/** Waits a moment, in which another change cancels the query. */
function settled(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('another change', 'AbortError'));
    });
  });
}

/** How many checks change, which are so already, and which cannot. */
export function Effect({ change }: { readonly change: BulkChange }) {
  const reasons = reasonsOf(change);
  return (
    <>
      <p className={css['effect']}>{text.effect(change.changed, change.unchanged, change.refused)}</p>
      {reasons.length > 0 && (
        <ul className={css['reasons']}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}
