// A page of named resources: a list, where each is used, a form that adds and changes them in place, and their deletion.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import type { OperationId } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { Confirm, Panel } from '../controls/dialog.tsx';
import { More } from '../controls/more.tsx';
import type { FieldsOfDraft } from '../check-settings/section.ts';
import { type Draft, textOf, useDraft } from '../form/draft.ts';
import { Cancel, EditorForm } from '../form/editor-form.tsx';
import { AsYaml } from '../layout/as-yaml.tsx';
import { LoadError, Skeleton } from '../layout/feedback.tsx';
import type { Managed } from '../layout/managed-by.tsx';
import { PageHead, Section } from '../layout/page.tsx';
import { type Column, Table } from '../layout/table.tsx';
import { toast } from '../layout/toast.tsx';
import { text } from './strings.ts';
import { isUsed, type Uses, UsesOf } from './uses.tsx';
import parts from '../form/form.module.css';
import css from './resources.module.css';

/** A sort of resources. */
export interface ResourceSort<Row> {
  readonly type: Managed['type'];
  readonly operations: {
    readonly uses: 'getVariableUses' | 'getSnippetUses' | 'getPrivateLocationUses';
    readonly create: 'createVariable' | 'createSnippet' | 'createPrivateLocation';
    readonly update: 'updateVariable' | 'updateSnippet' | 'updatePrivateLocation';
    readonly remove: 'deleteVariable' | 'deleteSnippet' | 'deletePrivateLocation';
  };
  /** What changes with them. */
  readonly refreshes: readonly OperationId[];
  readonly words: {
    readonly title: string;
    readonly help: string;
    readonly empty: string;
    readonly newTitle: string;
    readonly add: string;
    readonly unused: string;
    /** What else to know about its users; absent = nothing. */
    readonly usesHelp?: string;
    readonly removeHelp: string;
  };
  /** The field with the ID. */
  readonly id: 'id' | 'key';
  /** The field with the name. */
  readonly name: 'name' | 'key';
  /** Without the one of the actions. */
  readonly columns: readonly Column<Row>[];
  /** Another button of each row, and what its dialog shows; absent = none. */
  readonly more?: {
    readonly label: string;
    readonly title: (name: string) => string;
    readonly Content: (props: { readonly row: Row }) => ReactNode;
  };
  /** Whether one that is used cannot be deleted. */
  readonly isKeptWhileUsed: boolean;
  /** The draft of one that is changed; null = a new one. */
  readonly startOf: (row: Row | null) => Draft;
  /** The body of a write. @param isNew nothing is saved yet */
  readonly bodyOf: (draft: Draft, isNew: boolean) => Draft;
  readonly Fields: (props: FieldsOfDraft & { readonly row: Row | null }) => ReactNode;
}

/** The rows of a page. */
interface List<Row> extends Pick<UseQueryResult, 'error' | 'refetch'> {
  readonly items: readonly Row[] | undefined;
  /** Absent = the list is not paged. */
  readonly more?: Omit<ComponentProps<typeof More>, 'shown'>;
}

interface OfSort<Row> {
  readonly sort: ResourceSort<Row>;
}

function nameOf<Row>(sort: ResourceSort<Row>, row: Row): string {
  return String((row as Record<string, unknown>)[sort.name]);
}

function idOf<Row>(sort: ResourceSort<Row>, row: Row): string {
  return String((row as Record<string, unknown>)[sort.id]);
}

/** All of these operations take the ID alone. */
function paramsOf<Row>(sort: ResourceSort<Row>, row: Row) {
  return { params: { [sort.id]: idOf(sort, row) } as { readonly id: string } };
}

function useUses<Row>(sort: ResourceSort<Row>, row: Row): UseQueryResult<Uses> {
  return useRead(sort.operations.uses as 'getPrivateLocationUses', paramsOf(sort, row));
}

export function ResourcePage<Row>({ sort, list }: OfSort<Row> & { readonly list: List<Row> }) {
  const { write } = useMay();
  const [changing, setChanging] = useState<Row | null>(null);
  const { words } = sort;
  const id = changing === null ? '' : idOf(sort, changing);
  return (
    <>
      <PageHead title={words.title} />
      <p className="quiet">{words.help}</p>
      <Rows sort={sort} list={list} onChange={setChanging} />
      {write && (
        <Section title={changing === null ? words.newTitle : text.changeLabel(nameOf(sort, changing))}>
          <Editor key={id} sort={sort} row={changing} onDone={() => setChanging(null)} />
        </Section>
      )}
    </>
  );
}

type Dialog<Row> = { readonly kind: 'uses' | 'more' | 'remove'; readonly row: Row };

function Rows<Row>({
  sort,
  list: { items, error, refetch, more },
  onChange,
}: OfSort<Row> & { readonly list: List<Row>; readonly onChange: (row: Row) => void }) {
  const { write } = useMay();
  const [dialog, setDialog] = useState<Dialog<Row> | null>(null);
  if (error && items === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (items === undefined) return <Skeleton />;
  if (items.length === 0) return <p>{sort.words.empty}</p>;
  const open = (kind: Dialog<Row>['kind'], row: Row) => (): void => setDialog({ kind, row });
  const actions = (row: Row) => {
    const name = nameOf(sort, row);
    return (
      <span className={css['actions']}>
        {sort.more !== undefined && (
          <Button aria-label={sort.more.title(name)} onPress={open('more', row)}>
            {sort.more.label}
          </Button>
        )}
        <Button aria-label={text.usesLabel(name)} onPress={open('uses', row)}>
          {text.uses}
        </Button>
        {write && (
          <>
            <Button aria-label={text.changeLabel(name)} onPress={() => onChange(row)}>
              {text.change}
            </Button>
            <Button aria-label={text.removeLabel(name)} onPress={open('remove', row)}>
              {text.remove}
            </Button>
          </>
        )}
      </span>
    );
  };
  return (
    <>
      <Table
        label={sort.words.title}
        rows={items}
        keyOf={(row) => idOf(sort, row)}
        columns={[...sort.columns, { id: 'actions', title: text.actions, cell: actions }]}
      />
      {more !== undefined && <More {...more} shown={items.length} />}
      {dialog !== null && <RowDialog sort={sort} dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

function RowDialog<Row>({
  sort,
  dialog: { kind, row },
  onClose,
}: OfSort<Row> & { readonly dialog: Dialog<Row>; readonly onClose: () => void }) {
  const name = nameOf(sort, row);
  if (kind === 'remove') return <Remove sort={sort} row={row} onClose={onClose} />;
  const isMore = kind === 'more' && sort.more !== undefined;
  return (
    <Panel title={isMore ? sort.more.title(name) : text.usesLabel(name)} isOpen onClose={onClose}>
      {isMore ? <sort.more.Content row={row} /> : <RowUses sort={sort} row={row} />}
      <div className={parts['buttons']}>
        <AsYaml type={sort.type} id={idOf(sort, row)} />
        <Button onPress={onClose}>{text.close}</Button>
      </div>
    </Panel>
  );
}

interface OfRow<Row> extends OfSort<Row> {
  readonly row: Row;
}

function RowUses<Row>({ sort, row }: OfRow<Row>) {
  const { unused, usesHelp } = sort.words;
  return (
    <>
      <UsesOf uses={useUses(sort, row)} unused={unused} />
      {usesHelp !== undefined && <p className="quiet">{usesHelp}</p>}
    </>
  );
}

function Remove<Row>({ sort, row, onClose }: OfRow<Row> & { readonly onClose: () => void }) {
  const name = nameOf(sort, row);
  const remove = useWrite(sort.operations.remove as 'deletePrivateLocation', sort.refreshes);
  const uses = useUses(sort, row);
  const list = <UsesOf uses={uses} unused={sort.words.unused} />;
  if (sort.isKeptWhileUsed && uses.data !== undefined && isUsed(uses.data)) {
    return (
      <Panel title={text.isUsed(name)} isOpen onClose={onClose}>
        {list}
        <p className="quiet">{text.isUsedHelp}</p>
        <div className={parts['buttons']}>
          <Button onPress={onClose}>{text.close}</Button>
        </div>
      </Panel>
    );
  }
  return (
    <Confirm
      title={text.removeTitle(name)}
      action={text.remove}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(paramsOf(sort, row));
        toast.done(text.removed(name));
      }}
    >
      {list}
      <p className="quiet">{sort.words.removeHelp}</p>
    </Confirm>
  );
}

/** Adds a resource, or changes one. */
function Editor<Row>({ sort, row, onDone }: OfSort<Row> & { readonly row: Row | null; readonly onDone: () => void }) {
  const host = useRef<HTMLDivElement>(null);
  const kept = useDraft(`${sort.type} ${row === null ? '' : idOf(sort, row)}`, sort.startOf(row));
  const create = useWrite(sort.operations.create as 'createPrivateLocation', sort.refreshes);
  const update = useWrite(sort.operations.update as 'updatePrivateLocation', sort.refreshes);
  const { error, isPending } = row === null ? create : update;
  const save = async (): Promise<void> => {
    const name = textOf(kept.draft[sort.name]);
    // The server describes and validates the body.
    const body = sort.bodyOf(kept.draft, row === null) as { readonly name: string; readonly slugName: string };
    if (row === null) await create.mutateAsync({ body });
    else await update.mutateAsync({ ...paramsOf(sort, row), body });
    kept.reset();
    toast.done(row === null ? text.added(name) : text.changed(name));
    onDone();
  };
  // The form of an existing one appears below the list.
  useEffect(() => {
    if (row !== null) host.current?.querySelector('input')?.focus();
  }, [row]);
  return (
    <div ref={host}>
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={row === null}
        managed={row === null ? undefined : { type: sort.type, id: idOf(sort, row) }}
        save={save}
        error={error}
        isDisabled={isPending}
        submit={row === null ? sort.words.add : text.save}
        actions={row !== null && <Cancel kept={kept} onCancel={onDone} />}
      >
        {() => <sort.Fields draft={kept.draft} onChange={kept.change} row={row} />}
      </EditorForm>
    </div>
  );
}
