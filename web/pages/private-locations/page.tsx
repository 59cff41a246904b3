// Private locations of the account: who serves them, and how to start a process for them.
import { type FormEvent, useMemo, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Confirm, Panel } from '../../ui/controls/dialog.tsx';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { FaultsContext, TextInput } from '../../ui/form/text.tsx';
import { AsYaml } from '../../ui/layout/as-yaml.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { ManagedBy } from '../../ui/layout/managed-by.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Ago } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';

type Place = AnswerOf<'listPrivateLocations'>[number];
type Dialog = { readonly kind: 'start' | 'change' | 'remove'; readonly place: Place };

export function PrivateLocationsPage() {
  const { write } = useMay();
  return (
    <>
      <PageHead title={text.title} />
      <p className="quiet">{text.help}</p>
      <Places />
      {write && (
        <Section title={text.newTitle}>
          <NewPlace />
        </Section>
      )}
    </>
  );
}

function Places() {
  const { write } = useMay();
  const { data, error, refetch } = useRead('listPrivateLocations');
  const [dialog, setDialog] = useState<Dialog | null>(null);
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) return <p>{text.empty}</p>;
  const { columns } = text;
  const close = (): void => setDialog(null);
  const opener = (kind: Dialog['kind'], place: Place) => (
    <Button aria-label={text[`${kind}Label`](place.name)} onPress={() => setDialog({ kind, place })}>
      {text[kind]}
    </Button>
  );
  return (
    <>
      <Table
        label={text.title}
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          { id: 'name', title: columns.name, isName: true, cell: ({ name }) => name },
          { id: 'slug', title: columns.slug, cell: ({ slugName }) => <code>{slugName}</code> },
          {
            id: 'processes',
            title: columns.processes,
            cell: ({ runningAgents }) => runningAgents.map(({ hostname }) => hostname).join(', ') || text.none,
          },
          {
            id: 'seen',
            title: columns.seen,
            cell: ({ lastSeen }) => (lastSeen === null ? text.never : <Ago at={lastSeen} />),
          },
          {
            id: 'actions',
            title: columns.actions,
            cell: (place: Place) => (
              <span className={parts['buttons']}>
                {opener('start', place)}
                {write && opener('change', place)}
                {write && opener('remove', place)}
              </span>
            ),
          },
        ]}
      />
      {dialog?.kind === 'start' && <Start place={dialog.place} onClose={close} />}
      {dialog?.kind === 'change' && <Change place={dialog.place} onClose={close} />}
      {dialog?.kind === 'remove' && <Remove place={dialog.place} onClose={close} />}
    </>
  );
}

interface DialogProps {
  readonly place: Place;
  readonly onClose: () => void;
}

function Start({ place: { id, name, slugName }, onClose }: DialogProps) {
  return (
    <Panel title={text.startLabel(name)} isOpen onClose={onClose}>
      <p>{text.startHelp}</p>
      <Code text={`TOCSIN_LOCATION=${slugName}`} label={text.variable} />
      <div className={parts['buttons']}>
        <AsYaml type="private-location" id={id} />
        <Button onPress={onClose}>{text.close}</Button>
      </div>
    </Panel>
  );
}

function Change({ place, onClose }: DialogProps) {
  const { id } = place;
  const [name, setName] = useState(place.name);
  const update = useWrite('updatePrivateLocation', ['listPrivateLocations']);
  return (
    <Confirm
      title={text.changeLabel(place.name)}
      action={text.save}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await update.mutateAsync({ params: { id }, body: { name } });
        toast.done(text.changed(name));
      }}
    >
      <ManagedBy type="private-location" id={id} isEdited />
      <TextInput name="name" label={text.name} value={name} onChange={setName} />
    </Confirm>
  );
}

function Remove({ place: { id, name }, onClose }: DialogProps) {
  const remove = useWrite('deletePrivateLocation', ['listPrivateLocations']);
  return (
    <Confirm
      title={text.removeTitle(name)}
      action={text.remove}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id } });
        toast.done(text.removed(name));
      }}
    >
      <p className="quiet">{text.removeHelp}</p>
    </Confirm>
  );
}

function NewPlace() {
  const [name, setName] = useState('');
  const [slugName, setSlug] = useState('');
  const create = useWrite('createPrivateLocation', ['listPrivateLocations']);
  const { error } = create;
  const faults = useMemo(() => faultsOf(error), [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(
      { body: { name, slugName } },
      {
        onSuccess: () => {
          toast.done(text.added(name));
          setName('');
          setSlug('');
        },
      },
    );
  };
  return (
    <Form className={parts['short'] ?? ''} onSubmit={submit} validationBehavior="aria">
      <FaultsContext value={faults}>
        <TextInput name="name" label={text.name} value={name} onChange={setName} isRequired />
        <TextInput
          name="slugName"
          label={text.slug}
          placeholder={text.slugExample}
          help={text.slugHelp}
          value={slugName}
          onChange={setSlug}
          isRequired
        />
        <Button type="submit" kind="primary" isDisabled={create.isPending}>
          {text.add}
        </Button>
      </FaultsContext>
      <FaultList error={error} faults={faults} />
    </Form>
  );
}
