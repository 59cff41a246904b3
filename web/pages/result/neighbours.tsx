// Links to the previous and next results.
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { usePage, useRead } from '../../api/query.ts';
import type { Result } from '../../ui/checks/evidence.ts';
import { text } from './strings.ts';
import css from './result.module.css';

export function Neighbours({ result }: { readonly result: Result }) {
  const { checkId, id } = result;
  const before = useRead('listCheckResultsV2', { params: { checkId }, query: { nextId: id, limit: 1 } });
  // Newest first, so that the number of results since then gives the position of the next one.
  const from = startOf(id);
  const since = usePage('listCheckResults', { params: { checkId }, query: { from, limit: 1 } });
  const page = (since.data?.total ?? 0) - (result.resultType === 'FINAL' ? 1 : 0);
  const previous = before.isPlaceholderData ? undefined : before.data?.entries[0];
  return (
    <nav aria-label="Results" className={css['neighbours']}>
      <Neighbour checkId={checkId} resultId={previous?.id} label={text.previous} isNext={false} />
      {page > 0 && !since.isPlaceholderData ? (
        <Following checkId={checkId} ownId={id} from={from} page={page} />
      ) : (
        <Neighbour checkId={checkId} resultId={undefined} label={text.next} isNext />
      )}
    </nav>
  );
}

function Following({
  checkId,
  ownId,
  from,
  page,
}: {
  readonly checkId: string;
  readonly ownId: string;
  readonly from: string;
  readonly page: number;
}) {
  const next = useRead('listCheckResults', { params: { checkId }, query: { from, limit: 1, page } });
  const [found] = next.data ?? [];
  const isNewer = found !== undefined && found.id > ownId && !next.isPlaceholderData;
  return <Neighbour checkId={checkId} resultId={isNewer ? found.id : undefined} label={text.next} isNext />;
}

function Neighbour({
  checkId,
  resultId,
  label,
  isNext,
}: {
  readonly checkId: string;
  readonly resultId: string | undefined;
  readonly label: string;
  readonly isNext: boolean;
}) {
  const icon = isNext ? <ChevronRight size={18} aria-hidden /> : <ChevronLeft size={18} aria-hidden />;
  if (resultId === undefined) {
    return (
      <span className={css['neighbour']} data-disabled="">
        {icon}
      </span>
    );
  }
  return (
    <Link
      to="/checks/$checkId/results/$resultId"
      params={{ checkId, resultId }}
      aria-label={label}
      title={label}
      className={css['neighbour']}
    >
      {icon}
    </Link>
  );
}

/** The time in a result's id, which orders results. */
function startOf(id: string): string {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
}
