// Environment variables of the account. Secrets are written, and never shown.
import { type FormEvent, useMemo, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useMore, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm, Panel } from '../../ui/controls/dialog.tsx';
import { More } from '../../ui/controls/more.tsx';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { FaultsContext, Flag, TextInput } from '../../ui/form/text.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { AsYaml } from '../../ui/layout/as-yaml.tsx';
import { ManagedBy } from '../../ui/layout/managed-by.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import { Uses } from './uses.tsx';
import parts from '../../ui/form/form.module.css';
import css from './variables.module.css';

type Variable = AnswerOf<'listVariables'>[number];

export function VariablesPage() {
  const { write } = useMay();
  return (
    <>
      <PageHead title={text.title} />
      <p className="quiet">{text.help}</p>
      <Variables />
      {write && (
        <Section title={text.newTitle}>
          <NewVariable />
        </Section>
      )}
    </>
  );
}

function Variables() {
  const { write } = useMay();
  const variables = useMore('listVariables');
  const [changing, setChanging] = useState<Variable | null>(null);
  const [showing, setShowing] = useState<Variable | null>(null);
  const [leaving, setLeaving] = useState<Variable | null>(null);
  if (variables.error && variables.items === undefined) {
    return <LoadError error={variables.error} onRetry={() => void variables.refetch()} />;
  }
  if (variables.items === undefined) return <Skeleton />;
  if (variables.items.length === 0) return <p>{text.empty}</p>;
  const { columns } = text;
  return (
    <>
      <Table
        label={text.title}
        rows={variables.items}
        keyOf={({ key }) => key}
        columns={[
          { id: 'name', title: columns.name, isName: true, cell: ({ key }) => <code>{key}</code> },
          { id: 'value', title: columns.value, cell: shownValue },
          {
            id: 'actions',
            title: columns.actions,
            cell: (variable: Variable) => (
              <span className={parts['buttons']}>
                <Button aria-label={text.usesLabel(variable.key)} onPress={() => setShowing(variable)}>
                  {text.uses}
                </Button>
                {write && (
                  <>
                    <Button aria-label={text.changeLabel(variable.key)} onPress={() => setChanging(variable)}>
                      {text.change}
                    </Button>
                    <Button aria-label={text.removeLabel(variable.key)} onPress={() => setLeaving(variable)}>
                      {text.remove}
                    </Button>
                  </>
                )}
              </span>
            ),
          },
        ]}
      />
      <More {...variables} shown={variables.items.length} />
      {changing !== null && <Change key={changing.key} variable={changing} onClose={() => setChanging(null)} />}
      {showing !== null && (
        <Panel title={text.usesTitle(showing.key)} isOpen onClose={() => setShowing(null)}>
          <Uses name={showing.key} />
          <p className="quiet">{text.usesHelp}</p>
          <div className={parts['buttons']}>
            <AsYaml type="variable" id={showing.key} />
            <Button onPress={() => setShowing(null)}>{text.close}</Button>
          </div>
        </Panel>
      )}
      {leaving !== null && <Remove variable={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function shownValue({ value, secret, locked }: Variable) {
  if (secret) return <span className="quiet">{text.secret}</span>;
  return (
    <>
      <code className={css['value']}>{value}</code>
      {locked && <span className="quiet"> {text.hidden}</span>}
    </>
  );
}

interface DialogProps {
  readonly variable: Variable;
  readonly onClose: () => void;
}

function Change({ variable: { key, value, secret }, onClose }: DialogProps) {
  const [next, setNext] = useState(value ?? '');
  const update = useWrite('updateVariable', ['listVariables']);
  return (
    <Confirm
      title={text.changeTitle(key)}
      action={text.save}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await update.mutateAsync({ params: { key }, body: { value: next } });
        toast.done(text.changed(key));
      }}
    >
      <ManagedBy type="variable" id={key} isEdited />
      <TextInput
        name="value"
        label={text.value}
        value={next}
        onChange={setNext}
        help={text.changeHelp}
        type={secret ? 'password' : 'text'}
      />
    </Confirm>
  );
}

function Remove({ variable: { key }, onClose }: DialogProps) {
  const remove = useWrite('deleteVariable', ['listVariables', 'listNotices']);
  return (
    <Confirm
      title={text.removeTitle(key)}
      action={text.remove}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { key } });
        toast.done(text.removed(key));
      }}
    >
      <Uses name={key} />
      <p className="quiet">{text.removeHelp}</p>
    </Confirm>
  );
}

function NewVariable() {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const [secret, setSecret] = useState(false);
  const create = useWrite('createVariable', ['listVariables', 'listNotices']);
  const { error } = create;
  const faults = useMemo(() => faultsOf(error), [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(
      { body: { key, value, secret } },
      {
        onSuccess: () => {
          toast.done(text.added(key));
          setKey('');
          setValue('');
        },
      },
    );
  };
  return (
    <Form className={parts['short'] ?? ''} onSubmit={submit} validationBehavior="aria">
      <FaultsContext value={faults}>
        <TextInput
          name="key"
          label={text.name}
          placeholder={text.nameExample}
          value={key}
          onChange={setKey}
          isRequired
        />
        <TextInput
          name="value"
          label={text.value}
          value={value}
          onChange={setValue}
          type={secret ? 'password' : 'text'}
        />
        <Flag label={text.isSecret} help={text.secretHelp} value={secret} onChange={setSecret} />
        <Button type="submit" kind="primary" isDisabled={create.isPending}>
          {text.add}
        </Button>
      </FaultsContext>
      <FaultList error={error} faults={faults} />
    </Form>
  );
}
