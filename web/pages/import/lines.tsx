// Adds many checks from pasted lines, a CSV file or curl commands.
import { Check, CircleAlert } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { Form } from 'react-aria-components';
import { type Line, readLines } from '#importers/csv/lines.ts';
import { useAll } from '../../api/all.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf, useDraft } from '../../ui/form/draft.ts';
import { checkForms } from '../../ui/form/forms.ts';
import { TextInput } from '../../ui/form/text.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { duration } from '../../ui/text/format.ts';
import { text } from './lines-strings.ts';
import { OpenFile } from './open-file.tsx';
import parts from '../../ui/form/form.module.css';
import css from './import.module.css';

/** Most checks that the server takes at once. */
const most = 200;
const intervals = [30, 60, 300, 600, 1800, 3600, 86_400];
const examples = checkForms.flatMap(({ lineExample }) => lineExample ?? []);

/** The form. It creates checks that no project owns. */
export function LinesImport() {
  const { draft, change } = useDraft('import', { lines: '', interval: '600', tags: '', group: '' });
  const groups = useAll('listCheckGroups');
  const lines = useLines(draft);
  const { faults, isChecking, error } = useFaults(lines);
  const create = useWrite('importChecks', ['getOverview', 'listChecks']);
  const right = lines.filter((line) => line.check !== null && faultOf(line, faults) === null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { checks } = await create.mutateAsync({ body: { checks: right.map(({ check }) => check ?? {}) } });
    const created = new Set(right.filter((_, index) => checks[index]?.id != null));
    const left = lines.filter((line) => !created.has(line));
    change('lines', left.map(({ source }) => source).join('\n'));
    toast.done(text.created(created.size));
  };
  const more = lines.length - most;
  return (
    <>
      <p className={css['help']}>{text.help}</p>
      <Form
        className={css['form'] ?? ''}
        validationBehavior="aria"
        onSubmit={(event) => void submit(event).catch(() => undefined)}
      >
        <TextInput
          name="lines"
          label={text.lines}
          lines="code"
          placeholder={text.linesExample(examples)}
          value={textOf(draft['lines'])}
          onChange={(value) => change('lines', value)}
        />
        <OpenFile
          label={text.file}
          types={['text/csv', 'text/plain', '.csv', '.txt']}
          mostMb={1}
          onText={(value) => change('lines', value)}
        />
        <div className={parts['fields']}>
          <Choice
            label={text.interval}
            value={textOf(draft['interval'])}
            options={intervals.map((each) => [String(each), duration(each * 1000)])}
            onChange={(value) => change('interval', value)}
          />
          <TextInput
            name="tags"
            label={text.tags}
            placeholder={text.tagsExample}
            value={textOf(draft['tags'])}
            onChange={(value) => change('tags', value)}
          />
          <Choice
            label={text.group}
            value={textOf(draft['group'])}
            options={[['', text.noGroup], ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const)]}
            onChange={(value) => change('group', value)}
          />
        </div>
        {lines.length > 0 && <Preview lines={lines} faults={faults} isChecking={isChecking} count={right.length} />}
        {(create.error ?? error) !== null && <ErrorMessage error={create.error ?? error} />}
        {more > 0 && <p role="alert">{text.tooMany(most, more)}</p>}
        <div className={parts['actions']}>
          <Button
            type="submit"
            kind="primary"
            isDisabled={right.length === 0 || more > 0 || isChecking || create.isPending}
          >
            {text.create(right.length)}
          </Button>
        </div>
      </Form>
    </>
  );
}

/** The lines of the draft, read with its defaults. */
function useLines(draft: Draft): Line[] {
  return useMemo(
    () =>
      readLines(
        textOf(draft['lines']),
        {
          interval: Number(draft['interval']),
          tags: textOf(draft['tags'])
            .split(/[,\s]+/)
            .filter((tag) => tag !== ''),
          groupId: draft['group'] === '' ? null : Number(draft['group']),
        },
        checkForms,
      ),
    [draft],
  );
}

type Faults = ReadonlyMap<string, string>;

/** What the server says about the definitions, by their JSON; asked when nothing has changed for a moment. */
function useFaults(lines: readonly Line[]) {
  const { mutateAsync, error } = useWrite('importChecks');
  const [answered, setAnswered] = useState<{ readonly asked: string; readonly faults: Faults }>({
    asked: '',
    faults: new Map(),
  });
  const asked = useMemo(() => JSON.stringify(lines.slice(0, most).flatMap(({ check }) => check ?? [])), [lines]);
  useEffect(() => {
    if (asked === '[]') return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      const checks = JSON.parse(asked) as Draft[];
      const answer = mutateAsync({ body: { checks, dryRun: true } });
      void answer
        .then((found) => {
          const faults = new Map(
            found.checks.flatMap(({ errors }, index) => {
              const all = Object.entries(errors).map(([field, fault]) => `${field} ${fault}`);
              return all.length === 0 ? [] : [[JSON.stringify(checks[index]), all.join('; ')] as const];
            }),
          );
          if (isCurrent) setAnswered({ asked, faults });
        })
        // The error is shown above the button.
        .catch(() => undefined);
    }, 400);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [asked, mutateAsync]);
  return { faults: answered.faults, isChecking: asked !== '[]' && answered.asked !== asked && error === null, error };
}

function faultOf({ check, fault }: Line, faults: Faults): string | null {
  return fault ?? faults.get(JSON.stringify(check)) ?? null;
}

function Preview({
  lines,
  faults,
  isChecking,
  count,
}: {
  readonly lines: readonly Line[];
  readonly faults: Faults;
  readonly isChecking: boolean;
  readonly count: number;
}) {
  const { columns } = text;
  return (
    <Section title={text.preview}>
      <p className="quiet" role="status">
        {isChecking ? text.checking : text.counts(count, lines.length - count)}
      </p>
      <Table
        label={text.preview}
        rows={lines.slice(0, most)}
        keyOf={({ number }) => String(number)}
        columns={[
          { id: 'line', title: columns.line, isNumber: true, cell: ({ number }) => number },
          { id: 'name', title: columns.name, isName: true, cell: ({ name }) => name },
          { id: 'type', title: columns.type, cell: ({ type }) => type },
          {
            id: 'target',
            title: columns.target,
            cell: ({ target }) => <code className={css['target']}>{target}</code>,
          },
          {
            id: 'interval',
            title: columns.interval,
            cell: ({ interval }) => (interval === null ? '' : duration(interval * 1000)),
          },
          { id: 'tags', title: columns.tags, cell: ({ tags }) => tags.join(', ') },
          {
            id: 'verdict',
            title: columns.verdict,
            cell: (line) => <Verdict line={line} fault={faultOf(line, faults)} />,
          },
        ]}
      />
    </Section>
  );
}

function Verdict({ line, fault }: { readonly line: Line; readonly fault: string | null }) {
  return (
    <span className={css['verdict']} data-fault={fault === null ? undefined : ''}>
      {fault === null ? <Check size={15} aria-hidden /> : <CircleAlert size={15} aria-hidden />}
      <span>
        {fault ?? text.right}
        {line.notes.length > 0 && <span className={css['notes']}>{text.leftOut(line.notes)}</span>}
      </span>
    </span>
  );
}
