// Assertions with the expected and the actual value side by side, failed ones first.
import { CircleCheck, CircleX } from 'lucide-react';
import type { Evidence } from '#checks/show.ts';
import { Section } from '../../ui/layout/page.tsx';
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';
import { Table } from '../../ui/layout/table.tsx';
import { codeText } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import css from './result.module.css';

type Assertion = NonNullable<Evidence['assertions']>[number];

export function Assertions({ result }: { readonly result: Result }) {
  const { assertions = [] } = evidenceOf(result);
  if (assertions.length === 0) return null;
  const rows = assertions
    .map((assertion, index) => ({ assertion, index }))
    .toSorted((one, other) => Number(one.assertion.passed) - Number(other.assertion.passed));
  return (
    <Section title={text.assertions}>
      <Table
        label={text.assertions}
        rows={rows}
        keyOf={({ index }) => String(index)}
        columns={[
          { id: 'what', title: text.assertion, isName: true, cell: ({ assertion }) => subjectOf(assertion) },
          {
            id: 'outcome',
            title: text.outcome,
            cell: ({ assertion: { passed } }) => (
              <span className={passed ? css['holds'] : css['broken']}>
                {passed ? <CircleCheck size={15} aria-hidden /> : <CircleX size={15} aria-hidden />}
                {passed ? text.holds : text.broken}
              </span>
            ),
          },
          { id: 'expected', title: text.expected, cell: ({ assertion }) => <code>{expectedOf(assertion)}</code> },
          { id: 'actual', title: text.actual, cell: ({ assertion }) => <Actual assertion={assertion} /> },
        ]}
      />
    </Section>
  );
}

function Actual({ assertion }: { readonly assertion: Assertion }) {
  const { passed, actual, problem } = assertion;
  if (problem !== null) return <span className={css['broken']}>{problem}</span>;
  if (actual === null) return <span className="quiet">{text.nothing}</span>;
  return <code className={passed ? undefined : css['brokenValue']}>{`${actual}${unitOf(assertion)}`}</code>;
}

/** `Status code`, `JSON body $.stock`, `Headers content-type` */
function subjectOf({ source, property, regex }: Assertion): string {
  return [codeText(source), property, regex === null || regex === '' ? '' : `/${regex}/`].filter(Boolean).join(' ');
}

function expectedOf(assertion: Assertion): string {
  const { comparison, target } = assertion;
  return codeText(comparison).toLowerCase() + (target === '' ? '' : ` ${target}${unitOf(assertion)}`);
}

/** Times are compared in ms. */
function unitOf({ source }: Assertion): string {
  return source === 'RESPONSE_TIME' || source === 'LATENCY' ? ' ms' : '';
}
