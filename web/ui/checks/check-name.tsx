// The name of a check, as a link.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';

/** Reads the check by its ID. A deleted check has no link. */
export function CheckName({ checkId }: { readonly checkId: string }) {
  const check = useRead('getCheck', { params: { id: checkId } });
  if (check.error) return <>Deleted check</>;
  return (
    <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
      {check.data?.name ?? '…'}
    </Link>
  );
}
