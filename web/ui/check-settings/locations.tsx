// The run locations of a check or group: those of all accounts, and the private ones of this account.
import { useRead } from '../../api/query.ts';
import { Flag } from '../form/text.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import { text } from './strings.ts';
import parts from '../form/form.module.css';

/** A location that can be chosen. */
interface Place {
  readonly code: string;
  readonly name: string;
  /** What to know before it is chosen. */
  readonly note?: string;
}

/** @param none what no location means */
export function LocationFields({ draft, onChange, none }: FieldsOfDraft & { readonly none: string }) {
  const all = useRead('listLocations');
  const own = useRead('listPrivateLocations');
  const chosen = textsOf(draft['privateLocations']);
  const privatePlaces = [
    ...(own.data ?? []).map(({ slugName, name, agentCount }) =>
      placeOf(slugName, name, agentCount === 0 ? text.notServed : null),
    ),
    ...chosen
      .filter((slug) => own.data?.every(({ slugName }) => slugName !== slug) === true)
      .map((slug) => placeOf(slug, slug, text.deletedLocation)),
  ];
  return (
    <>
      <Choices
        legend={text.locations}
        places={(all.data ?? []).map(({ region, name, silentSince }) =>
          placeOf(region, name, silentSince === null ? null : text.notServed),
        )}
        chosen={textsOf(draft['locations'])}
        onChange={(codes) => onChange('locations', codes)}
        help={none}
      />
      {privatePlaces.length > 0 && (
        <Choices
          legend={text.privateLocations}
          places={privatePlaces}
          chosen={chosen}
          onChange={(slugs) => onChange('privateLocations', slugs.length === 0 ? null : slugs)}
        />
      )}
    </>
  );
}

function placeOf(code: string, name: string, note: string | null): Place {
  return { code, name: name === code ? code : `${name} (${code})`, ...(note !== null && { note }) };
}

function Choices({
  legend,
  places,
  chosen,
  onChange,
  help,
}: {
  readonly legend: string;
  readonly places: readonly Place[];
  readonly chosen: readonly string[];
  readonly onChange: (codes: readonly string[]) => void;
  readonly help?: string;
}) {
  return (
    <fieldset className={parts['checks']}>
      <legend>{legend}</legend>
      {places.map(({ code, name, note }) => (
        <Flag
          key={code}
          label={name}
          help={note}
          value={chosen.includes(code)}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, code] : chosen.filter((each) => each !== code))}
        />
      ))}
      {help !== undefined && <span className="quiet">{help}</span>}
    </fieldset>
  );
}
