// The name of a check that is known by its id only.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';

/** Name of the check as a link to it. */
export function CheckName({ checkId }: { readonly checkId: string }) {
  const check = useRead('getCheck', { params: { id: checkId } });
  if (check.error) return <>Deleted check</>;
  return (
    <Link to="/checks/$checkId" params={{ checkId }}>
      {check.data?.name ?? '…'}
    </Link>
  );
}
