// Locations of a check, with those that are silent marked.
import { useRead } from '../../api/query.ts';
import { At } from '../text/time.tsx';
import css from './location-names.module.css';

export function LocationNames({ codes }: { readonly codes: readonly string[] }) {
  const known = useRead('listLocations').data;
  return codes.map((code, index) => {
    const silentSince = known?.find(({ region }) => region === code)?.silentSince ?? null;
    return (
      <span key={code}>
        {index > 0 && ', '}
        {code}
        {silentSince !== null && (
          <span className={css['silent']} title="No process runs checks there. Runs wait until one does.">
            {' '}
            (silent since <At at={silentSince} />)
          </span>
        )}
      </span>
    );
  });
}
