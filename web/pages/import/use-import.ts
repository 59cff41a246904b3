// The steps of an import: entered, compared with the server, applied.
import { useQueryClient } from '@tanstack/react-query';
import { use, useEffect, useRef, useState } from 'react';
import { AccountContext } from '../../api/account.ts';
import { clientOf, ServiceError } from '../../api/client.ts';
import { faultText } from '../../ui/layout/feedback.tsx';
import { apply, compare, type Compared, type Entered } from './import-text.ts';
import { UnreadableText } from './read.ts';

/** Where an import is. */
export type Stage =
  | { readonly name: 'entered'; readonly fault: string | null }
  | { readonly name: 'comparing' }
  | { readonly name: 'compared'; readonly compared: Compared; readonly fault: string | null }
  | { readonly name: 'applying'; readonly compared: Compared; readonly done: number; readonly total: number }
  | { readonly name: 'applied'; readonly compared: Compared };

/** An import that a page shows. */
export interface Importing {
  readonly stage: Stage;
  readonly compare: (entered: Entered) => Promise<void>;
  readonly apply: (project: string, compared: Compared) => Promise<void>;
  /** Forgets what was compared. */
  readonly restart: () => void;
}

export function useImport(): Importing {
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  const [stage, setStage] = useState<Stage>({ name: 'entered', fault: null });
  const current = useRef(new AbortController());
  useEffect(() => () => current.current.abort(), []);
  const begin = (next: Stage): AbortSignal => {
    current.current.abort();
    current.current = new AbortController();
    setStage(next);
    return current.current.signal;
  };
  return {
    stage,
    async compare(entered) {
      const signal = begin({ name: 'comparing' });
      try {
        const compared = await compare(clientOf(accountId), entered, signal);
        if (!signal.aborted) setStage({ name: 'compared', compared, fault: null });
      } catch (error) {
        if (!signal.aborted) setStage({ name: 'entered', fault: words(error) });
      }
    },
    async apply(project, compared) {
      const signal = begin({ name: 'applying', compared, done: 0, total: compared.resources.length });
      try {
        const show = ({ done, total }: { readonly done: number; readonly total: number }): void =>
          setStage({ name: 'applying', compared, done, total });
        const diff = await apply(clientOf(accountId), project, compared, show, signal);
        // It changes records of every kind.
        void cache.invalidateQueries({ queryKey: [accountId] });
        if (!signal.aborted) setStage({ name: 'applied', compared: { ...compared, diff } });
      } catch (error) {
        if (!signal.aborted) setStage({ name: 'compared', compared, fault: words(error) });
      }
    },
    restart: () => void begin({ name: 'entered', fault: null }),
  };
}

function words(error: unknown): string {
  if (error instanceof UnreadableText) return error.message;
  const details = error instanceof ServiceError && error.statusCode === 400 ? Object.entries(error.attributes) : [];
  return [faultText(error), ...details.map(([path, fault]) => `${path} ${String(fault)}`)].join('\n');
}
