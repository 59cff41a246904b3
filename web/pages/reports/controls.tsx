// What the report is about: its range, the checks of a group or tag, and its heading.
import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useRead } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice, SearchChoice } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { beside, type RangeName, rangeNames, rangeOf, searchOf } from './ranges.ts';
import type { ReportsSearch } from './search.ts';
import { text } from './strings.ts';
import css from './reports.module.css';

interface ControlsProps {
  readonly search: ReportsSearch;
  readonly report: AnswerOf<'getAccountReport'> | undefined;
}

type Change = Partial<{ [Key in keyof ReportsSearch]: ReportsSearch[Key] | undefined }>;

export function Controls({ search, report }: ControlsProps) {
  const navigate = useNavigate({ from: '/reports' });
  const change = (next: Change, replace = false): void =>
    void navigate({ search: (now) => defined({ ...now, ...next }), replace });
  return (
    <div className={`${css['controls']} screen-only`} role="group" aria-label={text.about}>
      <Range search={search} report={report} onChange={change} />
      <Group value={search.groupId ?? ''} onChange={(groupId) => change({ groupId })} />
      <Tags tags={search.tag ?? []} onChange={(tag) => change({ tag })} />
      <Heading value={search.title ?? ''} onChange={(title) => change({ title }, true)} />
    </div>
  );
}

function defined(search: Change): ReportsSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

function Range({ search, report, onChange }: ControlsProps & { readonly onChange: (next: Change) => void }) {
  const name = rangeOf(search, report);
  const go = (range: Change | null): void =>
    range === null
      ? undefined
      : onChange({ every: undefined, at: undefined, fromOn: undefined, toOn: undefined, ...range });
  const [before, after] = [beside(search, report, -1), beside(search, report, 1)];
  const names: readonly RangeName[] = rangeNames.includes(name) ? rangeNames : [...rangeNames, name];
  const { fromOn, toOn } = search;
  return (
    <div className={css['range']}>
      <Choice
        label={text.period}
        value={name}
        options={names.map((each) => [each, text.ranges[each]] as const)}
        onChange={(next) => go(searchOf(next, report, Date.now()))}
      />
      <IconButton label={text.before} isDisabled={before === null} onPress={() => go(before)}>
        <ChevronLeft size={18} />
      </IconButton>
      <IconButton label={text.after} isDisabled={after === null} onPress={() => go(after)}>
        <ChevronRight size={18} />
      </IconButton>
      {fromOn !== undefined && toOn !== undefined && (
        <div className={css['days']}>
          <Day
            label={text.firstDay}
            value={fromOn}
            onChange={(day) => onChange({ fromOn: day, toOn: later(day, toOn) })}
          />
          <Day
            label={text.lastDay}
            value={toOn}
            onChange={(day) => onChange({ toOn: day, fromOn: earlier(day, fromOn) })}
          />
        </div>
      )}
    </div>
  );
}

const later = (one: string, other: string): string => (one > other ? one : other);
const earlier = (one: string, other: string): string => (one < other ? one : other);

/** A day; while one is being typed, the last valid one counts. */
function Day({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <TextInput
      name={label}
      label={label}
      type="date"
      value={typed}
      onChange={(next) => {
        setTyped(next);
        if (/^[12]\d{3}-\d\d-\d\d$/.test(next)) onChange(next);
      }}
    />
  );
}

function Group({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (groupId: string | undefined) => void;
}) {
  const groups = useAll('listCheckGroups');
  const known = (groups.data ?? []).map(({ id, name }) => [String(id), name] as const);
  const isUnknown = value !== '' && !known.some(([id]) => id === value);
  return (
    <SearchChoice
      label={text.group}
      help={null}
      value={value}
      options={[['', text.allGroups], ...known, ...(isUnknown ? [[value, text.groupOf(value)] as const] : [])]}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      none={text.noGroup}
    />
  );
}

function Tags({
  tags,
  onChange,
}: {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[] | undefined) => void;
}) {
  // Sections name every tag of the account, those of groups included.
  const overview = useRead('getOverview', { query: { groupBy: 'tag', limit: 1 } });
  const names = (overview.data?.sections ?? []).flatMap(({ name }) => (name === null ? [] : name));
  const others = names.filter((name) => !tags.includes(name));
  return (
    <div className={css['tags']}>
      <SearchChoice
        key={tags.join('\n')}
        label={text.tag}
        help={null}
        value=""
        options={[
          ['', tags.length === 0 ? text.anyTag : text.anotherTag],
          ...others.map((name) => [name, name] as const),
        ]}
        onChange={(tag) => onChange([...tags, tag])}
        none={text.noTag}
      />
      {tags.map((tag) => (
        <span key={tag} className={css['chip']}>
          {tag}
          <IconButton
            label={text.removeTag(tag)}
            onPress={() => onChange(tags.length === 1 ? undefined : tags.filter((each) => each !== tag))}
          >
            <X size={14} />
          </IconButton>
        </span>
      ))}
    </div>
  );
}

/** Updates the address after a pause in typing. */
function Heading({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (title: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    const wanted = typed.trim().slice(0, 100);
    if (wanted === value) return undefined;
    const timer = setTimeout(() => onChange(wanted === '' ? undefined : wanted), 300);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput name="title" label={text.heading} placeholder={text.headingHint} value={typed} onChange={setTyped} />
  );
}
