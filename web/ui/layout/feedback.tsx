// Placeholders for missing content: empty, loading or failed.
import { CircleX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ServiceError } from '../../api/client.ts';
import { withLocalTimes } from '../text/format.ts';
import { Button } from '../controls/button.tsx';
import css from './feedback.module.css';

/** An error as a sentence. */
export function faultText(error: unknown): string {
  if (error instanceof ServiceError) return withLocalTimes(error.message);
  return 'The server cannot be reached. Check your connection; this page tries again on its own.';
}

export function ErrorMessage({ error }: { readonly error: unknown }) {
  return (
    <p role="alert" className={css['error']}>
      <CircleX size={16} aria-hidden /> {faultText(error)}
    </p>
  );
}

/** Replaces content that failed to load. */
export function LoadError({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <div className={css['empty']}>
      <ErrorMessage error={error} />
      <Button onPress={onRetry}>Try again</Button>
    </div>
  );
}

/** Replaces content that does not exist yet: the reason, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={css['empty']}>
      <p className={css['emptyTitle']}>{title}</p>
      {children}
    </div>
  );
}

/** Grey lines in place of content, after 200 ms to avoid flicker. */
export function Skeleton({ lines = 3, height = 20 }: { readonly lines?: number; readonly height?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" className={css['skeletons']}>
      {isShown &&
        Array.from({ length: lines }, (_, index) => <div key={index} className={css['skeleton']} style={{ height }} />)}
    </div>
  );
}
