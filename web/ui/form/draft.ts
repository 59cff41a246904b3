// The draft of a form: a JSON object whose fields are named by paths, kept while the browser is open until it is saved.
import { use, useEffect, useMemo, useState } from 'react';
import type { FormValue } from '#lib/schema/form.ts';
import { AccountContext } from '../../api/account.ts';
import { useMe } from '../../api/me.ts';

/** What a person has entered. */
export type Draft = Readonly<Record<string, FormValue>>;

/** The value at a path such as `request.url`; undefined = none. */
export function valueAt(draft: FormValue, path: string): FormValue | undefined {
  let value: FormValue | undefined = draft;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as Draft)[name];
  }
  return value;
}

/** A value as the text of a field; '' = none. */
export function textOf(value: FormValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The draft with a value at a path; objects on the way are created. */
export function withValue(draft: Draft, path: string, value: FormValue): Draft {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...draft, [name]: value };
  const inner = draft[name];
  const object = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Draft) : {};
  return { ...draft, [name]: withValue(object, rest.join('.'), value) };
}

/** Begins the names of drafts in the session storage. */
const prefix = 'draft ';

/** Forgets all drafts, which may contain secrets: the person signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

/** A draft, what it began with, and the revision of the record then; null = it is new. */
interface Begun {
  readonly draft: Draft;
  readonly start: Draft;
  readonly revision: string | null;
}

/** A draft that is kept. */
export interface Kept extends Begun {
  /** Something was entered; otherwise the draft is the stored record. */
  readonly isChanged: boolean;
  readonly change: (path: string, value: FormValue) => void;
  /** Forgets what was entered before this call was made: it was saved, or is not wanted. */
  readonly reset: () => void;
  /** Goes on with what was entered on top of a newer revision. */
  readonly rebase: (begun: Begun) => void;
}

/**
 * A draft that survives a reload, a lost connection and a new sign-in of the same person in this tab.
 * @param name what is edited: drafts with another name are others
 * @param revision of the stored record that `start` shows; null = it is new
 */
export function useDraft(name: string, start: Draft, revision: string | null = null): Kept {
  const accountId = use(AccountContext);
  const { user } = useMe();
  // Another person at this browser, or another account, has other drafts.
  const key = `${prefix}${accountId} ${user?.id ?? ''} ${name}`;
  const [begun, setBegun] = useState(() => stored(key));
  const isChanged = begun !== null;
  // What nobody has changed follows the stored record.
  const text = JSON.stringify(start);
  const fresh = useMemo((): Begun => {
    const read = JSON.parse(text) as Draft;
    return { draft: read, start: read, revision };
  }, [text, revision]);
  useEffect(() => {
    if (begun === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(begun));
  }, [begun, key]);
  return {
    ...(begun ?? fresh),
    isChanged,
    change: (path, value) =>
      setBegun((now) => ({ ...(now ?? fresh), draft: withValue((now ?? fresh).draft, path, value) })),
    reset() {
      sessionStorage.removeItem(key);
      // What was entered while it was being saved stays, on top of what was saved.
      setBegun((now) =>
        now === null || begun === null || now === begun || now.revision === null
          ? null
          : { ...now, start: begun.draft },
      );
    },
    rebase: setBegun,
  };
}

function stored(key: string): Begun | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Begun | null;
  } catch {
    return null;
  }
}
