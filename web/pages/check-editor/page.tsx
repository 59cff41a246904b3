// Creates and edits checks.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { use } from 'react';
import type { CheckForm } from '#checks/form.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { revisionOf, type Stored } from '../../ui/form/changed-meanwhile.tsx';
import { checkForms } from '../../ui/form/forms.ts';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { Editor } from './editor.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';

export function NewCheckPage() {
  const { type, copy } = useSearch({ from: '/shell/checks/new' });
  const form = checkForms.find((each) => each.type === type);
  if (copy !== undefined) return <Loaded checkId={copy}>{(check) => <Copied check={check} />}</Loaded>;
  return (
    <>
      <PageHead
        title={text.newTitle}
        above={
          <Link to="/" search={{}}>
            {text.checks}
          </Link>
        }
      />
      {form === undefined ? <TypeChoice /> : <New key={form.type} form={form} />}
    </>
  );
}

export function EditCheckPage() {
  const { checkId } = useParams({ from: '/shell/checks/$checkId/edit' });
  return <Loaded checkId={checkId}>{(check) => <Edited key={checkId} check={check} />}</Loaded>;
}

function TypeChoice() {
  return (
    <section aria-label={text.choose}>
      <h2 className={parts['choose']}>{text.choose}</h2>
      <ul className={parts['types']}>
        {checkForms.map(({ type, label, about }) => (
          <li key={type}>
            <Link to="/checks/new" search={{ type }} className={parts['type']}>
              <strong>{label}</strong>
              <span className="quiet">{about}</span>
            </Link>
          </li>
        ))}
        <li>
          <Link to="/import" search={{ from: 'lines' }} className={parts['type']}>
            <strong>{text.many}</strong>
            <span className="quiet">{text.manyHelp}</span>
          </Link>
        </li>
        <li>
          <Link to="/import" search={{}} className={parts['type']}>
            <strong>{text.elsewhere}</strong>
            <span className="quiet">{text.elsewhereHelp}</span>
          </Link>
        </li>
      </ul>
    </section>
  );
}

function New({ form }: { readonly form: CheckForm }) {
  const navigate = useNavigate();
  return (
    <Editor
      form={form}
      name={`new ${form.type}`}
      start={{ name: '', frequency: 10, ...form.start }}
      checkId={null}
      onDone={(id) =>
        void (id === null
          ? navigate({ to: '/checks/new', search: {} })
          : navigate({ to: '/checks/$checkId', params: { checkId: id }, search: {} }))
      }
    />
  );
}

type Check = AnswerOf<'getCheck'>;

/** The check as it is written: what the server adds is left out. */
function writtenOf(check: Check): Draft {
  const { id: _, created_at: _created, updated_at: _updated, nextRunAt: _next, warnings: _warnings, ...rest } = check;
  const { notifiesNobody: _silent, mutedUntil: _muted, mutedUntilRecovery: _recovery, ...written } = rest;
  // The contract describes it as JSON.
  return written as unknown as Draft;
}

function Copied({ check }: { readonly check: Check }) {
  const navigate = useNavigate();
  const form = checkForms.find(({ type }) => type === check.checkType);
  if (form === undefined) return null;
  const { checkType: _, ...written } = writtenOf(check);
  return (
    <>
      <PageHead title={text.newTitle} above={<BackTo check={check} />} />
      <Editor
        form={form}
        name={`copy ${check.id}`}
        start={{ ...written, name: `${check.name} (copy)` }}
        checkId={null}
        copyOf={check.id}
        onDone={(id) => void navigate({ to: '/checks/$checkId', params: { checkId: id ?? check.id }, search: {} })}
      />
    </>
  );
}

function Edited({ check }: { readonly check: Check }) {
  const navigate = useNavigate();
  const client = clientOf(use(AccountContext));
  const form = checkForms.find(({ type }) => type === check.checkType);
  if (form === undefined) return null;
  const { checkType: _, ...written } = writtenOf(check);
  const read = async (): Promise<Stored> => {
    const present = await client.call('getCheck', { params: { id: check.id } });
    const { checkType: _type, ...start } = writtenOf(present);
    return { start, revision: revisionOf(present) };
  };
  return (
    <>
      <PageHead title={text.editTitle(check.name)} above={<BackTo check={check} />} />
      <Editor
        form={form}
        name={`check ${check.id}`}
        start={written}
        checkId={check.id}
        stored={{ revision: revisionOf(check), read }}
        onDone={() => void navigate({ to: '/checks/$checkId', params: { checkId: check.id }, search: {} })}
      />
    </>
  );
}

function BackTo({ check: { id, name } }: { readonly check: Check }) {
  return (
    <>
      <Link to="/" search={{}}>
        {text.checks}
      </Link>
      <span aria-hidden>/</span>
      <Link to="/checks/$checkId" params={{ checkId: id }} search={{}}>
        {name}
      </Link>
    </>
  );
}

/** Loads a check once: live events do not change a form under the fingers. */
function Loaded({
  checkId,
  children,
}: {
  readonly checkId: string;
  readonly children: (check: Check) => React.ReactNode;
}) {
  const check = useRead('getCheck', { params: { id: checkId } });
  if (check.error && check.data === undefined) {
    return <LoadError error={check.error} onRetry={() => void check.refetch()} />;
  }
  if (check.data === undefined || check.data.id !== checkId) return <Skeleton lines={8} height={40} />;
  return children(check.data);
}
