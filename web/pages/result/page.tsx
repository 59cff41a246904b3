// A result: verdict first, then the evidence.
import { Link, useParams } from '@tanstack/react-router';
import { Link2, Terminal } from 'lucide-react';
import { ServiceError } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { milliseconds } from '../../ui/text/format.ts';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { evidenceOf, phaseColour, phasesOf, type Result } from '../../ui/checks/evidence.ts';
import { showOf } from '../../ui/checks/kind.ts';
import { outcomeWord } from '../../ui/checks/state.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Assertions } from './assertions.tsx';
import { Files, Screenshots } from './assets.tsx';
import { Attempts } from './attempts.tsx';
import { Changes } from './changes.tsx';
import { Exchange } from './exchange.tsx';
import { formatCurl } from './curl.ts';
import { Neighbours } from './neighbours.tsx';
import { Errors, Lines, Script } from './script.tsx';
import { text } from './strings.ts';
import { Verdict } from './verdict.tsx';
import { Waterfall } from './waterfall.tsx';

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
  const { isFirst = false, script, logs = [] } = evidenceOf(result);
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
      {isFirst && <Exchange result={result} />}
      <Assertions result={result} />
      {script && <Errors part={script} />}
      {script && <Screenshots result={result} assets={script.assets} />}
      {(result.outcome === 'failed' || result.outcome === 'degraded') && <Changes key={resultId} result={result} />}
      <Phases result={result} />
      {script && <Script part={script} />}
      {script && <Files result={result} assets={script.assets} />}
      {!isFirst && <Exchange result={result} />}
      {logs.map(({ title, lines }) => (
        <Lines key={title} title={title} lines={lines} />
      ))}
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

function Phases({ result }: { readonly result: Result }) {
  if (showOf(result.checkType).phases === undefined) return null;
  const phases = phasesOf(result);
  if (phases.length === 0 && evidenceOf(result).hasResponse) {
    return (
      <Section title={text.phases}>
        <p className="quiet">{text.noPhases}</p>
      </Section>
    );
  }
  if (phases.length === 0) return null;
  const starts = phases.map((_, index) => phases.slice(0, index).reduce((sum, { ms }) => sum + ms, 0));
  return (
    <Section
      title={text.phases}
      aside={
        <span className="quiet">
          {text.total} {milliseconds(phases.reduce((sum, { ms }) => sum + ms, 0))}
        </span>
      }
    >
      <Waterfall
        label={text.phases}
        spans={phases.map(({ name, ms }, index) => ({
          name,
          startMs: starts[index] ?? 0,
          durationMs: ms,
          colour: phaseColour(name),
        }))}
      />
    </Section>
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
