// What the server does not accept, by field.
import { ServiceError } from '../../api/client.ts';
import { ErrorMessage } from '../layout/feedback.tsx';
import type { Faults } from './text.tsx';
import css from './form.module.css';

/** What is wrong, by the path of the field. */
export function faultsOf(error: unknown): Faults {
  if (!(error instanceof ServiceError)) return {};
  return Object.fromEntries(
    Object.entries(error.attributes).map(([path, fault]) => [path.replace(/^check\./, ''), String(fault)]),
  );
}

/** The error above the buttons, with the fields it is about. */
export function FaultList({ error, faults }: { readonly error: unknown; readonly faults: Faults }) {
  if (error === null || error === undefined) return null;
  const all = Object.entries(faults);
  if (all.length === 0) return <ErrorMessage error={error} />;
  return (
    <div role="alert" className={css['faults']}>
      <p>{'These settings are not accepted:'}</p>
      <ul>
        {all.map(([path, fault]) => (
          <li key={path}>
            <code>{path}</code> {fault}
          </li>
        ))}
      </ul>
    </div>
  );
}
