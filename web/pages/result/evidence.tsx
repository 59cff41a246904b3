// The evidence of a result: assertions, errors, times, request and response.
import { use } from 'react';
import { milliseconds } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import { evidenceOf, phaseColour, phasesOf, type Result } from '../../ui/checks/evidence.ts';
import { showOf } from '../../ui/checks/kind.ts';
import { Assertions } from './assertions.tsx';
import { Files, Screenshots } from './assets.tsx';
import { Changes } from './changes.tsx';
import { Exchange } from './exchange.tsx';
import { LinkContext } from './link.ts';
import { Errors, Lines, Script } from './script.tsx';
import { text } from './strings.ts';
import { Waterfall } from './waterfall.tsx';

export function Evidence({ result }: { readonly result: Result }) {
  const isSignedIn = use(LinkContext) === null;
  const { isFirst = false, script, logs = [] } = evidenceOf(result);
  return (
    <>
      {isFirst && <Exchange result={result} />}
      <Assertions result={result} />
      {script && <Errors part={script} />}
      {script && <Screenshots result={result} assets={script.assets} />}
      {isSignedIn && (result.outcome === 'failed' || result.outcome === 'degraded') && (
        <Changes key={result.id} result={result} />
      )}
      <Phases result={result} />
      {script && <Script part={script} />}
      {script && <Files result={result} assets={script.assets} />}
      {!isFirst && <Exchange result={result} />}
      {logs.map(({ title, lines }) => (
        <Lines key={title} title={title} lines={lines} />
      ))}
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
