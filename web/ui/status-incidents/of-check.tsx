// Incidents of status pages that concern a check: a draft is published where its failure is seen.
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { useRead } from '../../api/query.ts';
import { Ago } from '../text/time.tsx';
import { type Incident, Publish } from './publish.tsx';
import { statusText, text } from './strings.ts';
import css from './status-incidents.module.css';

/** Shows nothing if there is none. */
export function StatusIncidentsOfCheck({ checkId }: { readonly checkId: string }) {
  const { write } = useMay();
  const { data = [] } = useRead('listStatusIncidentsOfCheck', { params: { id: checkId } });
  if (data.length === 0) return null;
  return (
    <ul className={css['ofCheck']} aria-label={text.incidents}>
      {data.map((incident) => (
        <li key={incident.id} data-draft={incident.isDraft}>
          <About incident={incident} />
          {write && (incident.isDraft ? <Publish incident={incident} /> : <AddUpdate incident={incident} />)}
        </li>
      ))}
    </ul>
  );
}

function About({ incident }: { readonly incident: Incident }) {
  const { id, name, isDraft, publishAt, startedAt, lastUpdateStatus } = incident;
  return (
    <div>
      <strong>{isDraft ? text.draft : text.published}</strong>{' '}
      <Link to="/status-pages/incidents/$incidentId" params={{ incidentId: id }}>
        {name}
      </Link>
      <p className="quiet">
        {!isDraft && `${statusText(lastUpdateStatus)}. `}
        {text.began} <Ago at={startedAt} />. {isDraft && publishAt === null && text.unseen}
        {isDraft && publishAt !== null && (
          <>
            {text.publishedIn} <Ago at={publishAt} />.
          </>
        )}
      </p>
    </div>
  );
}

function AddUpdate({ incident: { id } }: { readonly incident: Incident }) {
  return (
    <Link to="/status-pages/incidents/$incidentId" params={{ incidentId: id }}>
      {text.addUpdate}
    </Link>
  );
}
