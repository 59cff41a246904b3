// The run locations of a check or group.
import { useRead } from '../../api/query.ts';
import { Flag } from '../form/text.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import { text } from './strings.ts';
import parts from '../form/form.module.css';

/** @param none what no location means */
export function LocationFields({ draft, onChange, none }: FieldsOfDraft & { readonly none: string }) {
  const { data } = useRead('listLocations');
  const chosen = textsOf(draft['locations']);
  return (
    <fieldset className={parts['checks']}>
      <legend>{text.locations}</legend>
      {(data ?? []).map(({ region: code, name }) => (
        <Flag
          key={code}
          label={name === code ? code : `${name} (${code})`}
          value={chosen.includes(code)}
          onChange={(isChosen) =>
            onChange('locations', isChosen ? [...chosen, code] : chosen.filter((each) => each !== code))
          }
        />
      ))}
      <span className="quiet">{none}</span>
    </fieldset>
  );
}
