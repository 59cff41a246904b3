// A record as a resource file, to be copied into the files of a project.
import { useQuery } from '@tanstack/react-query';
import { FileCode } from 'lucide-react';
import { use, useState } from 'react';
import type { Client } from '#contract/caller.ts';
import { resourceOperations, type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { ExportedResources } from '#files/export.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { Button } from '../controls/button.tsx';
import { Code } from '../controls/copy.tsx';
import { Panel } from '../controls/dialog.tsx';
import { LoadError, Skeleton } from './feedback.tsx';
import type { Managed } from './managed-by.tsx';

const label = 'Copy as YAML';

export function AsYaml(props: Managed) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <FileCode size={15} aria-hidden /> {label}
      </Button>
      {isOpen && (
        <Panel title={label} isOpen onClose={() => setOpen(false)}>
          <Yaml {...props} />
          <p className="quiet">
            The fields that differ from their defaults, for the files of a project. Names of other resources are their
            IDs; secrets are variables of the environment.
          </p>
          <div>
            <Button onPress={() => setOpen(false)}>Close</Button>
          </div>
        </Panel>
      )}
    </>
  );
}

function Yaml({ type, id }: Managed) {
  const accountId = use(AccountContext);
  const options = {
    queryKey: ['yaml', accountId, type, id],
    queryFn: () => yamlOf(accountId, { type, id }),
    gcTime: 0,
  };
  const { data, error, refetch } = useQuery(options);
  if (error !== null) return <LoadError error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton /> : <Code text={data} label={label} />;
}

async function yamlOf(accountId: string, managed: Managed): Promise<string> {
  const client = clientOf(accountId);
  const section = sections.find(({ type }) => type === managed.type);
  if (section === undefined) throw new Error(`files have no ${managed.type}`);
  const query = { type: managed.type, physicalId: managed.id, limit: 1 };
  const [{ exportResources }, { writeFile }, schema, owned, resource] = await Promise.all([
    import('#files/export.ts'),
    import('#files/write.ts'),
    fetch('/schema.json').then((response) => response.json()),
    client.call('listProjectResources', { query }),
    readResource(client, managed),
  ]);
  const { file } = exportResources(schema, { [section.name]: [resource] }, () => owned[0]?.logicalId);
  return writeFile(file);
}

/** A record as the API returns it. */
type Resource = NonNullable<ExportedResources[SectionName]>[number];

async function readResource(client: Client, { type, id }: Managed): Promise<Resource> {
  const [, get] = resourceOperations[type];
  // An operation takes the parameter that its path has; answers are JSON.
  return client.call(get, { params: { id, key: id } }) as Promise<object> as Promise<Resource>;
}
