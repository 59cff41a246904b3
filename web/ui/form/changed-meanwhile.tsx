// Saves a record unless somebody else has changed it meanwhile, and shows what both changed.
import { useState } from 'react';
import type { FormField, FormValue } from '#lib/schema/form.ts';
import { ServiceError } from '../../api/client.ts';
import { Button } from '../controls/button.tsx';
import { type Conflict, conflictsOf, isSame, mergedDraft } from './conflict.ts';
import { type Draft, type Kept, valueAt } from './draft.ts';
import css from './form.module.css';

/** A stored record: as a draft, and at which revision. */
export interface Stored {
  readonly start: Draft;
  readonly revision: string;
}

/** The revision of a record, as `If-Match` expects it. */
export function revisionOf(record: { readonly created_at: string; readonly updated_at: string | null }): string {
  return `"${record.updated_at ?? record.created_at}"`;
}

/**
 * What somebody else changed while this person was editing, after a save that was refused for it.
 * @param read reads the record again; null = it is new
 */
export function useConflicts(kept: Kept, read: (() => Promise<Stored>) | null) {
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  return {
    conflicts,
    /**
     * Saves. If the record has changed, takes over what this person did not change, and rejects like the request; if
     * nothing that the form shows has changed, saves.
     */
    guarded: async <Answer,>(save: (headers: Readonly<Record<string, string>>) => Promise<Answer>): Promise<Answer> => {
      const at = (revision: string | null) => save(revision === null ? {} : { 'if-match': revision });
      try {
        const saved = await at(kept.revision);
        setConflicts([]);
        return saved;
      } catch (error) {
        if (!isChangedMeanwhile(error) || read === null) throw error;
        const { start, revision } = await read();
        const found = conflictsOf(kept.start, start, kept.draft);
        if (found.length === 0) return at(revision);
        kept.rebase({ draft: mergedDraft(kept.draft, found), start, revision });
        setConflicts(found);
        throw error;
      }
    },
  };
}

/** Whether a save was refused because the record has changed. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ServiceError && error.statusCode === 412;
}

/** The fields that both changed, to choose from, and those that were taken over. */
export function ChangedMeanwhile({
  conflicts,
  fields,
  draft,
  onChange,
}: {
  readonly conflicts: readonly Conflict[];
  readonly fields: readonly Pick<FormField, 'path' | 'label'>[];
  readonly draft: Draft;
  readonly onChange: (path: string, value: FormValue) => void;
}) {
  if (conflicts.length === 0) return null;
  return (
    <section role="alert" className={css['conflicts']} aria-label={text.title}>
      <strong>{text.title}</strong>
      <p>{conflicts.some(({ isOpen }) => isOpen) ? text.choose : text.taken}</p>
      <ul>
        {conflicts.map(({ path, theirs, mine, isOpen }) => {
          const label = labelOf(path, fields);
          const isTheirs = isSame(valueAt(draft, path), theirs);
          return (
            <li key={path}>
              <strong>{label}</strong>
              <span>{text.theirs(shown(theirs))}</span>
              {isOpen && (
                <>
                  <span>{text.mine(shown(mine))}</span>
                  <span className={css['choices']}>
                    <Button
                      kind={isTheirs ? 'primary' : 'plain'}
                      aria-pressed={isTheirs}
                      aria-label={`${text.takeTheirs}: ${label}`}
                      onPress={() => onChange(path, theirs)}
                    >
                      {text.takeTheirs}
                    </Button>
                    <Button
                      kind={isTheirs ? 'plain' : 'primary'}
                      aria-pressed={!isTheirs}
                      aria-label={`${text.keepMine}: ${label}`}
                      onPress={() => onChange(path, mine)}
                    >
                      {text.keepMine}
                    </Button>
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The label of a field, or of what it is a part of: `Alert settings: reminders`; otherwise its name in words. */
export function labelOf(path: string, fields: readonly Pick<FormField, 'path' | 'label'>[]): string {
  const own = fields.find((field) => field.path === path)?.label ?? common[path];
  if (own !== undefined) return own;
  const end = path.lastIndexOf('.');
  const words = path.slice(end + 1).replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`);
  return end === -1
    ? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
    : `${labelOf(path.slice(0, end), fields)}: ${words}`;
}

/** Labels of fields that many forms have under another name than in the API. */
const common: Readonly<Record<string, string>> = {
  activated: 'Active',
  alertChannelSubscriptions: 'Channels',
  environmentVariables: 'Variables',
  frequency: 'Interval',
  groupId: 'Group',
  runParallel: 'Run at all locations at once',
  runbookUrl: 'Runbook',
  runtimeId: 'Runtime',
  useGlobalAlertSettings: 'Alert settings of the account',
};

/** Longest value that is shown. */
const maxShown = 200;

function shown(value: FormValue): string {
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  return whole.length > maxShown ? `${whole.slice(0, maxShown)}…` : whole;
}

const text = {
  title: 'Somebody else has saved this meanwhile',
  choose: 'Nothing was saved yet. Choose for each field that you both changed, then save again.',
  taken: 'Nothing was saved yet. Their changes are now in the form, with yours. Look at them, then save again.',
  theirs: (value: string) => `Theirs: ${value}`,
  mine: (value: string) => `Yours: ${value}`,
  takeTheirs: 'Take theirs',
  keepMine: 'Keep mine',
};
