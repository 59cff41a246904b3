// A check: state, history, notifications, actions.
import { Link, useParams } from '@tanstack/react-router';
import { ServiceError } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { OlderAssertionsOfCheck } from '../../ui/checks/older-assertions.tsx';
import { showOf } from '../../ui/checks/kind.ts';
import { PageHead } from '../../ui/layout/page.tsx';
import { Alerts } from './alerts.tsx';
import { Certificate } from './certificate.tsx';
import { Figures } from './figures.tsx';
import { CheckHead } from './head.tsx';
import { PingUrl, Pings } from './heartbeat.tsx';
import { ResponseTimes } from './response-times.tsx';
import { Results } from './results.tsx';
import { Settings } from './settings.tsx';
import { text } from './strings.ts';
import { WhoIsNotified } from './who-is-notified.tsx';

export function CheckPage() {
  const { checkId } = useParams({ from: '/shell/checks/$checkId' });
  const check = useRead('getCheck', { params: { id: checkId } });
  // A deleted check is shown no longer, although its last answer is still there.
  if (check.error instanceof ServiceError && check.error.statusCode < 500) {
    return check.error.statusCode === 404 || check.error.statusCode === 400 ? (
      <UnknownCheck />
    ) : (
      <LoadError error={check.error} onRetry={() => void check.refetch()} />
    );
  }
  if (check.error && check.data === undefined) {
    return <LoadError error={check.error} onRetry={() => void check.refetch()} />;
  }
  // Another check is not shown in the place of the one that is loading.
  if (check.data === undefined || check.data.id !== checkId) return <Skeleton lines={8} height={40} />;
  const { called } = showOf(check.data.checkType);
  return (
    <>
      <CheckHead key={checkId} check={check.data} />
      <OlderAssertionsOfCheck check={check.data} />
      {called && <PingUrl url={called.pingUrl(check.data)} snippets={called.snippets} />}
      <ResponseTimes check={check.data} />
      <Figures check={check.data} />
      {called && <Pings checkId={checkId} />}
      <Results check={check.data} />
      <Alerts check={check.data} />
      <WhoIsNotified check={check.data} />
      <Settings check={check.data} />
      {!called && <Certificate check={check.data} />}
    </>
  );
}

function UnknownCheck() {
  return (
    <>
      <PageHead title={text.unknownTitle} />
      <Empty title={text.unknownHelp}>
        <Link to="/" search={{}}>
          {text.allChecks}
        </Link>
      </Empty>
    </>
  );
}
