// Counts by state; each is a filter.
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { count } from '../../ui/text/format.ts';
import { states } from '../../ui/checks/state.tsx';
import { type OverviewSearch, stateFilters } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

export function Summary({
  summary,
  search,
  onChange,
}: {
  readonly summary: AnswerOf<'getOverview'>['summary'];
  readonly search: OverviewSearch;
  readonly onChange: (next: { state: OverviewSearch['state'] | undefined }) => void;
}) {
  return (
    <ToggleButtonGroup
      aria-label={text.filters}
      className={css['summary'] ?? ''}
      selectedKeys={[search.state ?? 'all']}
      onSelectionChange={([key]) =>
        onChange({ state: key === 'all' || key === undefined ? undefined : (key as OverviewSearch['state']) })
      }
    >
      <ToggleButton id="all" className={css['tile'] ?? ''}>
        <span className={css['tileCount']}>{count(summary.total)}</span> {text.all}
      </ToggleButton>
      {stateFilters.map((state) => {
        const { icon: Icon, className } = states[state];
        const value = summary[state];
        return (
          <ToggleButton key={state} id={state} className={css['tile'] ?? ''}>
            <span className={`${css['tileCount']} ${value > 0 ? className : css['zero']}`}>
              <Icon size={16} aria-hidden /> {count(value)}
            </span>{' '}
            {text.words[state]}
          </ToggleButton>
        );
      })}
    </ToggleButtonGroup>
  );
}
