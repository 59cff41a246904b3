// A result: verdict first, then the evidence.
import { Link, useParams } from '@tanstack/react-router';
import { Link2, Terminal } from 'lucide-react';
import { ServiceError } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';
import { StatusIncidentsOfCheck } from '../../ui/status-incidents/of-check.tsx';
import { outcomeWord } from '../../ui/checks/state.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Attempts } from './attempts.tsx';
import { Evidence } from './evidence.tsx';
import { formatCurl } from './curl.ts';
import { Neighbours } from './neighbours.tsx';
import { text } from './strings.ts';
import { Verdict } from './verdict.tsx';

export function ResultPage() {
  const { checkId, resultId } = useParams({ from: '/shell/checks/$checkId/results/$resultId' });
  const found = useRead('getCheckResult', { params: { checkId, checkResultId: resultId } });
  if (found.error instanceof ServiceError && [400, 404].includes(found.error.statusCode)) {
    return <UnknownResult checkId={checkId} />;
  }
  if (found.error && found.data === undefined) {
    return <LoadError error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (found.data === undefined || found.data.id !== resultId) return <Skeleton lines={8} height={40} />;
  const result = found.data;
  return (
    <>
      <PageHead
        title={`${result.name}: ${outcomeWord(result.outcome)}`}
        heading={result.name}
        above={
          <>
            <Link to="/" search={{}}>
              {text.checks}
            </Link>
            <span aria-hidden>/</span>
            <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
              {result.name}
            </Link>
            <span aria-hidden>/</span>
            <span>{text.title}</span>
          </>
        }
      >
        <Actions result={result} />
      </PageHead>
      <Verdict result={result} />
      <StatusIncidentsOfCheck checkId={checkId} />
      <Evidence result={result} />
      {(result.attempts > 1 || result.resultType === 'ATTEMPT') && <Attempts result={result} />}
    </>
  );
}

function Actions({ result }: { readonly result: Result }) {
  const { request = null } = evidenceOf(result);
  const copy = (content: string, done: string): void => void toast.of(navigator.clipboard.writeText(content), done);
  return (
    <>
      {request !== null && (
        <IconButton label={text.copyCurl} onPress={() => copy(formatCurl(request), text.copiedCurl)}>
          <Terminal size={17} />
        </IconButton>
      )}
      <IconButton label={text.copyLink} onPress={() => copy(location.href, text.copiedLink)}>
        <Link2 size={17} />
      </IconButton>
      <Neighbours result={result} />
    </>
  );
}

function UnknownResult({ checkId }: { readonly checkId: string }) {
  return (
    <>
      <PageHead title={text.unknownTitle} />
      <Empty title={text.unknownHelp}>
        <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
          {text.toCheck}
        </Link>
      </Empty>
    </>
  );
}
