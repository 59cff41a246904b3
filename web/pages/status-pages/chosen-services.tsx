// A list of services in a form: added by name, moved and removed.
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useAll } from '../../api/all.ts';
import { useEveryEntry } from '../../api/entries.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { SearchChoice } from '../../ui/controls/field.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { serviceReads } from './frame.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

type Direction = -1 | 1;

/** Moves items of a list by one place, and keeps the focus on the button of the moved item. */
export function useMoves<Item>(items: readonly Item[], onChange: (items: readonly Item[]) => void) {
  const host = useRef<HTMLUListElement>(null);
  const moved = useRef<{ readonly index: number; readonly direction: Direction } | null>(null);
  useLayoutEffect(() => {
    if (moved.current === null) return;
    const { index, direction } = moved.current;
    moved.current = null;
    const own = host.current?.children[index]?.querySelector('[data-moves]');
    const buttons = [...(own?.querySelectorAll<HTMLButtonElement>('button') ?? [])];
    const [first, other] = direction === -1 ? buttons : buttons.toReversed();
    (first?.disabled === false ? first : other)?.focus();
  });
  const move = (from: number, direction: Direction): void => {
    const next = [...items];
    const [item] = next.splice(from, 1);
    if (item === undefined) return;
    next.splice(from + direction, 0, item);
    moved.current = { index: from + direction, direction };
    onChange(next);
  };
  return { host: host as RefObject<HTMLUListElement>, move };
}

export function MoveButtons({
  name,
  index,
  count,
  onMove,
}: {
  readonly name: string;
  readonly index: number;
  readonly count: number;
  readonly onMove: (from: number, direction: Direction) => void;
}) {
  if (count < 2) return null;
  return (
    <span className={css['moves']} data-moves>
      <IconButton label={text.moveUp(name)} isDisabled={index === 0} onPress={() => onMove(index, -1)}>
        <ArrowUp size={15} />
      </IconButton>
      <IconButton label={text.moveDown(name)} isDisabled={index === count - 1} onPress={() => onMove(index, 1)}>
        <ArrowDown size={15} />
      </IconButton>
    </span>
  );
}

interface ChosenProps {
  /** IDs of services. */
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly label: string;
  readonly help: string;
  readonly most: number;
  /** Whether a check or a check group can become a service. */
  readonly hasChecks?: boolean;
}

export function ChosenServices({ chosen, onChange, label, help, most, hasChecks = false }: ChosenProps) {
  const { data, isPending, isFetching } = useEveryEntry('listStatusServices');
  const services = data ?? [];
  // The choice waits for services that were just created: a list that grows while a person chooses would close.
  const [isListed, setListed] = useState(false);
  if (!isListed && !isPending && !isFetching) setListed(true);
  const { host, move } = useMoves(chosen, onChange);
  const nameOf = (id: string): string => services.find((service) => service.id === id)?.name ?? text.unknownService;
  const adding = {
    label,
    help,
    services: services.filter(({ id }) => !chosen.includes(id)),
    onAdd: (id: string) => onChange([...chosen, id]),
  };
  return (
    <>
      <ul ref={host} className={css['services']} aria-label={text.services}>
        {chosen.map((id, index) => (
          <li key={id}>
            <span>{nameOf(id)}</span>
            <MoveButtons name={nameOf(id)} index={index} count={chosen.length} onMove={move} />
            <IconButton
              label={text.removeService(nameOf(id))}
              onPress={() => onChange(chosen.filter((each) => each !== id))}
            >
              <X size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
      {chosen.length < most &&
        isListed &&
        (hasChecks ? (
          <AddAnyService {...adding} known={services} key={chosen.join()} />
        ) : (
          <AddService {...adding} key={chosen.join()} />
        ))}
    </>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
}

/** Most checks that are offered, so that the list stays usable. */
const mostOffered = 100;

/** A service that does not exist yet. */
interface NewService {
  readonly key: string;
  readonly label: string;
  readonly body: { readonly name: string; readonly groupIds?: number[]; readonly checkIds?: string[] };
}

/** Groups and checks that are no services yet; null = they are being read. */
function useNewServices(known: readonly Named[]): readonly NewService[] | null {
  const groups = useAll('listCheckGroups');
  const checks = useRead('getOverview', { query: { sort: 'name', limit: mostOffered } });
  if (groups.isPending || checks.isPending) return null;
  return [
    ...(groups.data ?? [])
      .filter(({ id }) => !known.some(({ groupIds }) => groupIds.includes(id)))
      .map(({ id, name }) => ({ key: `group ${id}`, label: text.fromGroup(name), body: { name, groupIds: [id] } })),
    ...(checks.data?.rows ?? [])
      .filter(({ checkId }) => !known.some(({ checkIds }) => checkIds.includes(checkId)))
      .map(({ checkId, name }) => ({
        key: `check ${checkId}`,
        label: text.fromCheck(name),
        body: { name, checkIds: [checkId] },
      })),
  ];
}

interface AddProps {
  readonly label: string;
  readonly help: string;
  readonly services: readonly Named[];
  readonly onAdd: (id: string) => void;
}

/** Offers checks and groups, too. */
function AddAnyService({ known, ...props }: AddProps & { readonly known: readonly Named[] }) {
  const offered = useNewServices(known);
  return offered === null ? null : <AddService {...props} offered={offered} />;
}

function AddService({
  label,
  help,
  services,
  onAdd,
  offered = [],
}: AddProps & { readonly offered?: readonly NewService[] }) {
  const create = useWrite('createStatusService', serviceReads);
  const options = [
    ...services.map(({ id, name }) => [id, name] as const),
    ...offered.map((each) => [each.key, each.label] as const),
  ];
  const choose = async (value: string): Promise<void> => {
    const body = offered.find(({ key }) => key === value)?.body;
    if (body === undefined) return onAdd(value);
    const added = create.mutateAsync({ body });
    await toast.of(added, text.created(body.name));
    return added.then(({ id }) => onAdd(id)).catch(() => undefined);
  };
  return (
    <SearchChoice
      label={label}
      help={help}
      value=""
      options={options}
      none={text.noService}
      onChange={(value) => void choose(value)}
    />
  );
}
