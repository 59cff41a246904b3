// Error pages: not found, and failed to render.
import { Link } from '@tanstack/react-router';
import { Empty, ErrorMessage } from '../ui/layout/feedback.tsx';
import { PageHead } from '../ui/layout/page.tsx';
import { ServiceError } from '../api/client.ts';

export function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        Nothing exists at this address. <Link to="/">Go to the overview</Link>
      </p>
    </>
  );
}

/** An error while rendering: a bug, or a file that a newer version of the server no longer has. */
export function PageFault({ error }: { readonly error: unknown }) {
  return (
    <Empty title="This page could not be shown">
      {error instanceof ServiceError ? (
        <ErrorMessage error={error} />
      ) : (
        <p>Reload it. If that does not help, this is a bug: the console of the browser has the error.</p>
      )}
      <p>
        <a href={location.href}>Reload the page</a>
      </p>
    </Empty>
  );
}
