// The alert storm in progress, if any.
import { Layers } from 'lucide-react';
import { useRead } from '../../api/query.ts';
import { At } from '../text/time.tsx';

/** Says since when notifications are grouped. */
export function Storm({ className }: { readonly className?: string | undefined }) {
  const storm = useRead('listNotices').data?.find(({ kind }) => kind === 'alert-storm');
  if (storm === undefined) return null;
  return (
    <span className={className}>
      <Layers size={14} aria-hidden /> Storm since <At at={storm.since} />: notifications are grouped
    </span>
  );
}
