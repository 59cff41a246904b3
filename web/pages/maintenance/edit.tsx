// Plans and edits maintenance windows.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { draftOf, emptyDraft } from './draft.ts';
import { WindowEditor } from './editor.tsx';
import { text } from './strings.ts';
import { useZone } from './use-zone.ts';

/** Leads to the window; null = to all of them. */
function useLeave(): (id: number | null) => void {
  const navigate = useNavigate();
  return (id) =>
    void (id === null
      ? navigate({ to: '/maintenance' })
      : navigate({ to: '/maintenance/$windowId', params: { windowId: String(id) } }));
}

export function NewWindowPage() {
  const leave = useLeave();
  const zone = useZone();
  return (
    <>
      <PageHead title={text.newTitle} above={<Link to="/maintenance">{text.title}</Link>} />
      {zone === undefined ? (
        <Skeleton lines={8} height={40} />
      ) : (
        <WindowEditor name="new maintenance window" start={emptyDraft(zone)} windowId={null} onDone={leave} />
      )}
    </>
  );
}

export function EditWindowPage() {
  const { windowId } = useParams({ from: '/shell/maintenance/$windowId/edit' });
  const leave = useLeave();
  const window = useRead('getMaintenanceWindow', { params: { id: windowId } });
  if (window.error && window.data === undefined) {
    return <LoadError error={window.error} onRetry={() => void window.refetch()} />;
  }
  if (window.data === undefined) return <Skeleton lines={8} height={40} />;
  const { id, name } = window.data;
  return (
    <>
      <PageHead
        title={text.editTitle(name)}
        above={
          <>
            <Link to="/maintenance">{text.title}</Link>
            <span aria-hidden>/</span>
            <Link to="/maintenance/$windowId" params={{ windowId }}>
              {name}
            </Link>
          </>
        }
      />
      <WindowEditor
        key={id}
        name={`maintenance window ${id}`}
        start={draftOf(window.data)}
        windowId={id}
        onDone={() => leave(id)}
      />
    </>
  );
}
