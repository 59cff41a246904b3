// The checks of a group: adding and removing many at once.
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { CheckPicker } from '../../ui/check-settings/check-picker.tsx';
import { Flags, RowState } from '../../ui/checks/state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Flag } from '../../ui/form/text.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Ago } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './group.module.css';

type Row = AnswerOf<'getOverview'>['rows'][number];

/** Checks that the API moves at once. */
const maxMoved = 200;
/** Checks on a page of the list. */
const pageSize = 200;

export function Members({ groupId }: { readonly groupId: number }) {
  const { write } = useMay();
  const [isAdding, setAdding] = useState(false);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [page, setPage] = useState(1);
  const query = { groupId: String(groupId), limit: pageSize, page };
  const { data, error, refetch } = useRead('getOverview', { query });
  const move = useWrite('changeChecksOfGroup', ['getOverview', 'getCheckGroup', 'listChecksOfGroup', 'getCheck']);
  const rows = data?.rows ?? [];
  const chosen = selected.filter((id) => rows.some(({ checkId }) => checkId === id));
  const add = async (ids: readonly string[]): Promise<void> => {
    const { added } = await move.mutateAsync({ params: { id: groupId }, body: { add: [...ids] } });
    toast.done(text.added(added));
  };
  const remove = async (ids: readonly string[], undo: boolean): Promise<void> => {
    const body = undo ? { add: [...ids] } : { remove: [...ids] };
    await move.mutateAsync({ params: { id: groupId }, body });
    setSelected([]);
  };
  return (
    <Section
      title={text.members}
      aside={
        write && (
          <span className={css['buttons']}>
            {chosen.length > 0 && (
              <Button
                isDisabled={move.isPending}
                onPress={() =>
                  void toast.of(
                    remove(chosen, false),
                    text.takenOut(chosen.length),
                    () => void toast.of(remove(chosen, true), text.restored),
                  )
                }
              >
                {text.takeOut(chosen.length)}
              </Button>
            )}
            <Button onPress={() => setAdding(true)}>
              <Plus size={15} aria-hidden /> {text.add}
            </Button>
          </span>
        )
      }
    >
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton />
      ) : data.rows.length === 0 ? (
        <Empty title={text.noMembers}>{write && <p>{text.noMembersHelp}</p>}</Empty>
      ) : (
        <MemberTable rows={data.rows} selected={write ? chosen : null} onSelect={setSelected} />
      )}
      {data !== undefined && data.total > pageSize && (
        <Pages page={page} pages={Math.ceil(data.total / pageSize)} total={data.total} onPage={setPage} />
      )}
      {isAdding && (
        <CheckPicker
          title={text.addTitle}
          without={rows.map(({ checkId }) => checkId)}
          max={maxMoved}
          onClose={() => setAdding(false)}
          onChoose={add}
        />
      )}
    </Section>
  );
}

function Pages({
  page,
  pages,
  total,
  onPage,
}: {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}) {
  return (
    <div className={css['pages']}>
      <span>{text.page(page, pages, total)}</span>
      <Button isDisabled={page === 1} onPress={() => onPage(page - 1)}>
        {text.previous}
      </Button>
      <Button isDisabled={page >= pages} onPress={() => onPage(page + 1)}>
        {text.next}
      </Button>
    </div>
  );
}

/** @param selected IDs; null = nothing can be selected */
function MemberTable({
  rows,
  selected,
  onSelect,
}: {
  readonly rows: readonly Row[];
  readonly selected: readonly string[] | null;
  readonly onSelect: (checkIds: readonly string[]) => void;
}) {
  return (
    <Table
      label={text.members}
      rows={rows}
      keyOf={({ checkId }) => checkId}
      columns={[
        {
          id: 'name',
          title: text.columns.name,
          isName: true,
          cell: ({ checkId, name, ...flags }) => (
            <span className={css['member']}>
              {selected !== null && (
                <Flag
                  label={<span className="visually-hidden">{text.select(name)}</span>}
                  value={selected.includes(checkId)}
                  onChange={(isChosen) =>
                    onSelect(isChosen ? [...selected, checkId] : selected.filter((each) => each !== checkId))
                  }
                />
              )}
              <Link to="/checks/$checkId" params={{ checkId }} data-row>
                {name}
              </Link>{' '}
              <Flags
                suppressedBy={flags.suppressedBy}
                flappingSince={flags.flappingSince}
                muted={flags.muted}
                inMaintenance={flags.inMaintenance}
                silent={flags.silent}
              />
            </span>
          ),
        },
        { id: 'state', title: text.columns.state, cell: (row) => <RowState row={row} /> },
        {
          id: 'last',
          title: text.columns.last,
          cell: ({ lastRunAt }) => (lastRunAt === null ? text.never : <Ago at={lastRunAt} />),
        },
      ]}
    />
  );
}
