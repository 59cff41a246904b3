// Maintenance windows: what is open and planned, and what each one silences.
import { type FormEvent, useMemo, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useMore, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { FaultsContext, TextInput } from '../../ui/form/text.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { useNow } from '../../ui/text/now.ts';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './maintenance.module.css';

type Window = AnswerOf<'listMaintenanceWindows'>[number];

const refreshes = ['listMaintenanceWindows', 'getOverview'] as const;

export function MaintenancePage() {
  const { write } = useMay();
  return (
    <>
      <PageHead title={text.title} />
      <p className="quiet">{text.help}</p>
      <Windows />
      {write && (
        <Section title={text.newTitle}>
          <NewWindow />
        </Section>
      )}
    </>
  );
}

function Windows() {
  const { write } = useMay();
  const windows = useMore('listMaintenanceWindows');
  if (windows.error && windows.items === undefined) {
    return <LoadError error={windows.error} onRetry={() => void windows.refetch()} />;
  }
  if (windows.items === undefined) return <Skeleton />;
  if (windows.items.length === 0) return <p>{text.empty}</p>;
  const { columns } = text;
  return (
    <>
      <Table
        label={text.title}
        rows={windows.items}
        keyOf={({ id }) => String(id)}
        columns={[
          { id: 'name', title: columns.name, isName: true, cell: ({ name }) => name },
          { id: 'next', title: columns.next, cell: (window) => <Next window={window} /> },
          { id: 'effect', title: columns.effect, cell: effectOf },
          { id: 'repeat', title: columns.repeat, cell: repeatOf },
          ...(write
            ? [{ id: 'actions', title: columns.actions, cell: (window: Window) => <Actions window={window} /> }]
            : []),
        ]}
      />
      <More {...windows} shown={windows.items.length} />
    </>
  );
}

function isOpenAt({ nextStartsAt }: Window, now: number): boolean {
  return nextStartsAt !== null && Date.parse(nextStartsAt) <= now;
}

function Next({ window }: { readonly window: Window }) {
  const { nextStartsAt, nextEndsAt } = window;
  const now = useNow();
  if (nextStartsAt === null || nextEndsAt === null) return <span className="quiet">{text.over}</span>;
  return isOpenAt(window, now) ? (
    <strong className={css['open']}>
      {text.now} <At at={nextEndsAt} />
    </strong>
  ) : (
    <>
      <At at={nextStartsAt} /> {text.until} <At at={nextEndsAt} />{' '}
      <span className="quiet">
        (<Ago at={nextStartsAt} />)
      </span>
    </>
  );
}

function effectOf({ pauseAllChecks, silenceAllAlerts, tags, silenceAlertsTags, checkIds, groupIds }: Window): string {
  return [
    ...(pauseAllChecks ? [text.pauseAll] : []),
    ...(silenceAllAlerts ? [text.silenceAll] : []),
    ...(tags.length > 0 ? [text.pauseTags(tags)] : []),
    ...(checkIds.length + groupIds.length > 0 ? [text.pauseSome(checkIds.length, groupIds.length)] : []),
    ...(silenceAlertsTags.length > 0 ? [text.silenceTags(silenceAlertsTags)] : []),
  ].join('; ');
}

function repeatOf({ repeatUnit, repeatInterval }: Window): string {
  if (repeatUnit === null) return text.once;
  return (repeatInterval ?? 1) === 1 ? text.repeats[repeatUnit] : text.every(repeatInterval ?? 1, repeatUnit);
}

function Actions({ window }: { readonly window: Window }) {
  const { id, name, repeatUnit } = window;
  const now = useNow();
  const [isAsking, setAsking] = useState(false);
  const update = useWrite('updateMaintenanceWindow', refreshes);
  const remove = useWrite('deleteMaintenanceWindow', refreshes);
  const end = (): void => {
    const ended = update.mutateAsync({ params: { id }, body: { endsAt: new Date().toISOString() } });
    void toast.of(ended, text.ended(name));
  };
  return (
    <span className={parts['buttons']}>
      {repeatUnit === null && isOpenAt(window, now) && (
        <Button aria-label={text.endLabel(name)} onPress={end}>
          {text.end}
        </Button>
      )}
      <Button aria-label={text.removeLabel(name)} onPress={() => setAsking(true)}>
        {text.remove}
      </Button>
      <Confirm
        title={text.removeTitle(name)}
        action={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutateAsync({ params: { id } })}
      >
        <p>{text.removeHelp}</p>
      </Confirm>
    </span>
  );
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The instant of a local time as the browser writes it; text that is none stays as it is, so that the server says what is right. */
function instantOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}

function NewWindow() {
  const [name, setName] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [tags, setTags] = useState('');
  const [effect, setEffect] = useState<(typeof text.effects)[number][0]>('silence');
  const [repeat, setRepeat] = useState<(typeof text.repeatChoices)[number][0]>('');
  const create = useWrite('createMaintenanceWindow', refreshes);
  const { error } = create;
  const faults = useMemo(() => faultsOf(error), [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const named = tags.split(/,\s*/).filter((tag) => tag !== '');
    const isPause = effect === 'pause';
    const scope =
      named.length > 0
        ? { [isPause ? 'tags' : 'silenceAlertsTags']: named }
        : { [isPause ? 'pauseAllChecks' : 'silenceAllAlerts']: true };
    const times = { startsAt: instantOf(from), endsAt: instantOf(to), timezone: zone };
    create.mutate(
      { body: { name, ...times, ...scope, repeatUnit: repeat === '' ? null : repeat } },
      { onSuccess: () => toast.done(text.created(name)) },
    );
  };
  return (
    <Form className={parts['short'] ?? ''} onSubmit={submit} validationBehavior="aria">
      <FaultsContext value={faults}>
        <TextInput
          name="name"
          label={text.name}
          placeholder={text.nameExample}
          value={name}
          onChange={setName}
          isRequired
        />
        <TextInput
          name="startsAt"
          label={text.from}
          type="datetime-local"
          value={from}
          onChange={setFrom}
          help={text.zone(zone)}
          isRequired
        />
        <TextInput name="endsAt" label={text.to} type="datetime-local" value={to} onChange={setTo} isRequired />
        <Choice label={text.effect} value={effect} options={text.effects} onChange={setEffect} />
        <TextInput name="tags" label={text.tags} help={text.tagsHelp} value={tags} onChange={setTags} />
        <Choice label={text.repeat} value={repeat} options={text.repeatChoices} onChange={setRepeat} />
        <Button type="submit" kind="primary" isDisabled={create.isPending}>
          {text.create}
        </Button>
      </FaultsContext>
      <FaultList error={error} faults={faults} />
    </Form>
  );
}
