// Search, filters, order, sections and density of the list.
import { Rows3, Rows4, SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAll } from '../../api/all.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice, SearchBox } from '../../ui/controls/field.tsx';
import { phone, useMedia } from '../../ui/layout/media.ts';
import { checkShows } from '../../ui/checks/kind.ts';
import { groupings, type OverviewSearch, sorts } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

type Change = Partial<{ [Key in keyof OverviewSearch]: OverviewSearch[Key] | undefined }>;

interface FilterProps {
  readonly search: OverviewSearch;
  readonly onChange: (next: Change) => void;
}

export function Filters({ search, onChange }: FilterProps) {
  // On a phone they would push the first check below the middle of the screen.
  const isPhone = useMedia(phone);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={css['filters']}>
      <SearchText value={search.search ?? ''} onChange={(value) => onChange({ search: value || undefined })} />
      {isPhone && (
        <IconButton label={text.filtersLabel} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          <SlidersHorizontal size={18} />
        </IconButton>
      )}
      {(!isPhone || isOpen) && <Choices search={search} onChange={onChange} />}
      {search.tag !== undefined && (
        <span className={css['chip']}>
          {text.tagFilter(search.tag)}
          <IconButton label={text.removeFilter} onPress={() => onChange({ tag: undefined })}>
            <X size={14} />
          </IconButton>
        </span>
      )}
      {search.flapping && (
        <span className={css['chip']}>
          {text.flapping}
          <IconButton label={text.removeFilter} onPress={() => onChange({ flapping: undefined })}>
            <X size={14} />
          </IconButton>
        </span>
      )}
    </div>
  );
}

function Choices({ search, onChange }: FilterProps) {
  const groups = useAll('listCheckGroups');
  return (
    <>
      <Choice
        label={text.type}
        isLabelHidden
        value={search.checkType ?? ''}
        options={[['', text.anyType], ...checkShows.map(({ type, label }) => [type, label] as const)]}
        onChange={(checkType) => onChange({ checkType: checkType || undefined })}
      />
      {(groups.data?.length ?? 0) > 0 && (
        <Choice
          label={text.group}
          isLabelHidden
          value={search.groupId ?? ''}
          options={[
            ['', text.anyGroup],
            ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const),
            ['none', text.noGroup],
          ]}
          onChange={(groupId) => onChange({ groupId: groupId || undefined })}
        />
      )}
      <Choice
        label={text.sort}
        isLabelHidden
        value={search.sort ?? 'state'}
        options={sorts.map((sort) => [sort, `${text.sort}: ${text.sorts[sort]}`] as const)}
        onChange={(sort) => onChange({ sort: sort === 'state' ? undefined : sort })}
      />
      <span className={css['rows']}>
        <Choice
          label={text.rows}
          isLabelHidden
          value={search.by ?? 'flat'}
          options={(['flat', ...groupings] as const).map((by) => [by, `${text.rows}: ${text.groupings[by]}`] as const)}
          onChange={(by) => onChange({ by: by === 'flat' ? undefined : by })}
        />
        <IconButton
          label={search.dense ? text.comfortable : text.dense}
          onPress={() => onChange({ dense: search.dense ? undefined : true })}
        >
          {search.dense ? <Rows3 size={18} /> : <Rows4 size={18} />}
        </IconButton>
      </span>
    </>
  );
}

/** Updates the URL after a pause in typing. */
function SearchText({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The URL changed otherwise: by going back, or by clearing a filter.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), 200);
    return () => clearTimeout(timer);
  });
  return <SearchBox label={text.search} value={typed} onChange={setTyped} />;
}
