// A section of the list: its heading, and those of its rows that are on screen. A flat list is one section.
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { type CheckState, states } from '../../ui/checks/state.tsx';
import { count } from '../../ui/text/format.ts';
import type { OverviewRow, OverviewSearch } from './search.ts';
import { text } from './strings.ts';
import list from './overview.module.css';
import css from './section.module.css';

type OverviewSection = AnswerOf<'getOverview'>['sections'][number];

/** Where a section is in the list, whose items are headings and rows. */
interface PlacedSection {
  /** null = a flat list. */
  readonly section: OverviewSection | null;
  /** Index of its first item. */
  readonly item: number;
  /** Index of its first row among all rows. */
  readonly firstRow: number;
  readonly total: number;
}

interface ShownSection extends PlacedSection {
  /** Index of its first row on screen among all rows. */
  readonly from: number;
  /** Index after its last row on screen. */
  readonly to: number;
}

export function placeSections(sections: readonly OverviewSection[], total: number): readonly PlacedSection[] {
  if (sections.length === 0) return [{ section: null, item: 0, firstRow: 0, total }];
  let firstRow = 0;
  return sections.map((section, index) => {
    const placed = { section, item: firstRow + index, firstRow, total: section.counts.total };
    firstRow += placed.total;
    return placed;
  });
}

/** The sections with an item from `first` to `last`. */
export function shownSections(placed: readonly PlacedSection[], first: number, last: number): readonly ShownSection[] {
  return placed.flatMap((each) => {
    const rowItem = each.section === null ? each.item : each.item + 1;
    const isShown = each.item <= last && first < rowItem + each.total;
    const from = each.firstRow + Math.max(0, first - rowItem);
    const to = each.firstRow + Math.min(each.total, last + 1 - rowItem);
    return isShown ? [{ ...each, from, to }] : [];
  });
}

export function Section({
  shown: { section, item, firstRow, total, from, to },
  by,
  rowHeight,
  headingHeight,
  rowAt,
  onSelectAll,
  renderRow,
}: {
  readonly shown: ShownSection;
  readonly by: OverviewSearch['by'];
  readonly rowHeight: number;
  readonly headingHeight: number;
  readonly rowAt: (index: number) => OverviewRow | undefined;
  /** Selects rows from an index up to another; null = nobody may act on them. */
  readonly onSelectAll: ((from: number, to: number) => void) | null;
  readonly renderRow: (row: OverviewRow, index: number) => ReactNode;
}) {
  const name = section === null ? text.list : (section.name ?? (by === 'tag' ? text.otherTags : text.noGroup));
  const rowsTop = section === null ? 0 : headingHeight;
  const drawn = new Set<string>();
  return (
    <div
      className={css['section']}
      style={{ top: firstRow * rowHeight + (item - firstRow) * headingHeight, height: rowsTop + total * rowHeight }}
    >
      {section !== null && (
        <div className={css['heading']} style={{ height: headingHeight }}>
          <h2 className={css['title']}>
            <SectionName section={section} name={name} />
            <StateCounts counts={section.counts} />
          </h2>
          {onSelectAll !== null && (
            <IconButton label={text.selectSection(name)} onPress={() => onSelectAll(firstRow, firstRow + total)}>
              <ListChecks size={16} />
            </IconButton>
          )}
        </div>
      )}
      <ul aria-label={name}>
        {Array.from({ length: Math.max(0, to - from) }, (_, offset) => {
          const row = rowAt(from + offset);
          const index = from + offset - firstRow;
          // By check, so that focus and an open menu move with it. While pages load, two may show the same check.
          const isFirst = row !== undefined && !drawn.has(row.checkId);
          if (isFirst) drawn.add(row.checkId);
          return (
            <li
              key={isFirst ? row.checkId : index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className={list['row']}
              style={{ height: rowHeight, transform: `translateY(${rowsTop + index * rowHeight}px)` }}
            >
              {row && renderRow(row, from + offset)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The name: a link to the page of the group, or to the list of checks with the tag. */
function SectionName({ section, name }: { readonly section: OverviewSection; readonly name: string }) {
  const className = css['sectionName'];
  if (section.groupId !== null) {
    return (
      <Link to="/groups/$groupId" params={{ groupId: String(section.groupId) }} className={className}>
        {name}
      </Link>
    );
  }
  if (section.name === null) return <span className={className}>{name}</span>;
  return (
    <Link to="/" search={({ by: _by, ...now }) => ({ ...now, tag: name })} className={className}>
      {name}
    </Link>
  );
}

function StateCounts({ counts }: { readonly counts: OverviewSection['counts'] }) {
  const found = (Object.keys(states) as CheckState[]).filter((state) => counts[state] > 0);
  return (
    <span className={css['counts']}>
      {found.map((state) => {
        const { icon: Icon, word, className } = states[state];
        return (
          <span key={state} className={className}>
            <Icon size={14} aria-hidden /> {count(counts[state])} {word.toLowerCase()}
          </span>
        );
      })}
    </span>
  );
}
