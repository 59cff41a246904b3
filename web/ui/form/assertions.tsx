// The assertions of a check: a line each.
import { CircleCheck, CircleHelp, CircleX, Plus, X } from 'lucide-react';
import { createContext, use } from 'react';
import type { AssertionSourceForm, FormValue } from '#lib/schema/form.ts';
import { comparisons, isUnary } from '../checks/comparisons.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { Choice } from '../controls/field.tsx';
import { type Draft, textOf } from './draft.ts';
import { itemsOf, withItem, withoutItem } from './pairs.tsx';
import { sentence } from '../text/format.ts';
import { TextInput } from './text.tsx';
import css from './form.module.css';

/** How an assertion ends on the result beside the form, or has not been evaluated. */
export interface AssertionOutcome {
  /** null = unknown. */
  readonly passed: boolean | null;
  readonly message: string;
}

/** Outcomes of the assertions at a path, in order. */
export const OutcomesContext = createContext<Readonly<Record<string, readonly AssertionOutcome[]>>>({});

interface AssertionListProps {
  readonly path: string;
  readonly label: string;
  readonly sources: readonly AssertionSourceForm[];
  readonly value: FormValue | undefined;
  readonly onChange: (value: FormValue) => void;
}

/** A new assertion of a source. */
function firstOf({ source, property, first: [comparison, target] }: AssertionSourceForm): Draft {
  return { source, property: property?.options?.[0] ?? '', comparison, target, regex: null };
}

export function AssertionList({ path, label, sources, value, onChange }: AssertionListProps) {
  const items = itemsOf(value);
  const outcomes = use(OutcomesContext)[path] ?? [];
  return (
    <fieldset className={css['list']}>
      <legend className="visually-hidden">{label}</legend>
      {items.length === 0 && <p className="quiet">No assertion: only an error makes the check fail.</p>}
      {items.map((item, index) => (
        <OneAssertion
          key={index}
          name={`${path}[${index}]`}
          number={index + 1}
          item={item}
          sources={sources}
          outcome={outcomes[index]}
          onChange={(change) => onChange(withItem(items, index, change))}
          onRemove={() => onChange(withoutItem(items, index))}
        />
      ))}
      <Button
        kind="quiet"
        onPress={() => {
          const [first] = sources;
          if (first !== undefined) onChange([...items, firstOf(first)]);
        }}
      >
        <Plus size={15} aria-hidden /> Add assertion
      </Button>
    </fieldset>
  );
}

function OneAssertion({
  name,
  number,
  item,
  sources,
  outcome,
  onChange,
  onRemove,
}: {
  readonly name: string;
  readonly number: number;
  readonly item: Draft;
  readonly sources: readonly AssertionSourceForm[];
  readonly outcome: AssertionOutcome | undefined;
  readonly onChange: (change: Draft) => void;
  readonly onRemove: () => void;
}) {
  const source = sources.find((each) => each.source === item['source']) ?? sources[0];
  if (source === undefined) return null;
  const comparison = textOf(item['comparison']);
  const { property } = source;
  const text = (field: string): string => textOf(item[field]);
  return (
    <div className={css['row']} role="group" aria-label={`Assertion ${number}`}>
      <Choice
        label="Source"
        isLabelHidden
        value={source.source}
        options={sources.map((each) => [each.source, each.label])}
        onChange={(chosen) => {
          const next = sources.find((each) => each.source === chosen);
          if (next !== undefined) onChange(firstOf(next));
        }}
      />
      {property?.options !== undefined ? (
        <Choice
          label={property.label}
          isLabelHidden
          value={text('property')}
          options={property.options.map((option) => [option, option])}
          onChange={(chosen) => onChange({ property: chosen })}
        />
      ) : (
        property !== undefined && (
          <TextInput
            name={`${name}.property`}
            label={property.label}
            placeholder={property.placeholder}
            isLabelHidden
            value={text('property')}
            onChange={(chosen) => onChange({ property: chosen })}
          />
        )
      )}
      <Choice
        label="Comparison"
        isLabelHidden
        value={comparison}
        options={source.comparisons.map((each) => [each, comparisons[each] ?? each])}
        onChange={(chosen) => onChange({ comparison: chosen })}
      />
      {!isUnary(comparison) && (
        <TextInput
          name={`${name}.target`}
          label="Expected value"
          placeholder="Value"
          isLabelHidden
          value={text('target')}
          onChange={(target) => onChange({ target })}
        />
      )}
      {source.hasRegex === true && (
        <TextInput
          name={`${name}.regex`}
          label={`Regular expression of assertion ${number}`}
          placeholder="Regex"
          isLabelHidden
          // Clients put that of a text into the property.
          value={text('regex') || (property === undefined ? text('property') : '')}
          onChange={(regex) => onChange({ regex: regex || null, ...(property === undefined && { property: '' }) })}
        />
      )}
      <IconButton label={`Remove assertion ${number}`} onPress={onRemove}>
        <X size={15} />
      </IconButton>
      {outcome !== undefined && <OutcomeLine outcome={outcome} />}
    </div>
  );
}

/** An outcome with its sentence. */
export function OutcomeLine({ outcome: { passed, message } }: { readonly outcome: AssertionOutcome }) {
  const icon =
    passed === null ? (
      <CircleHelp size={15} aria-hidden />
    ) : passed ? (
      <CircleCheck size={15} aria-label="Holds" />
    ) : (
      <CircleX size={15} aria-label="Broken" />
    );
  return (
    <p className={css['outcome']} data-passed={passed}>
      {icon} <span>{sentence(message)}</span>
    </p>
  );
}
