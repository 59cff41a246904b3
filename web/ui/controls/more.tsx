// The end of a list that is loaded in parts.
import { Button } from './button.tsx';
import { count } from '../text/format.ts';
import css from './more.module.css';

export function More({
  shown,
  total,
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
}: {
  readonly shown: number;
  /** Absent = the list does not count its items. */
  readonly total?: number;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}) {
  if (!hasNextPage) return null;
  return (
    <div className={css['more']}>
      <span>
        {count(shown)}
        {total !== undefined && ` of ${count(total)}`}
      </span>
      {hasNextPage && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Load more'}
        </Button>
      )}
    </div>
  );
}
