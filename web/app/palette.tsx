// The command palette: go to a page or a check, start or mute a check, all by keyboard.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { use, useDeferredValue, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { AccountContext } from '../api/account.ts';
import { useMay } from '../api/me.ts';
import { read, useWrite } from '../api/query.ts';
import { isCalled } from '../ui/checks/kind.ts';
import { RowState } from '../ui/checks/state.tsx';
import { toast } from '../ui/layout/toast.tsx';
import type { OverviewSearch } from '../pages/overview/search.ts';
import css from './palette.module.css';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

const pages = [
  ['/', 'Checks'],
  ['/', 'Flapping checks', { flapping: true, sort: '-flapping' }],
  ['/checks/new', 'New check'],
  ['/import', 'Import or add many checks'],
  ['/alerts', 'Alerts'],
  ['/deliveries', 'Deliveries'],
  ['/groups', 'Groups'],
  ['/groups/new', 'New group'],
  ['/channels', 'Channels'],
  ['/channels/new', 'New channel'],
  ['/reports', 'Reports'],
  ['/certificates', 'Certificates'],
  ['/ledger', 'Ledger'],
  ['/notices', 'Notices'],
  ['/wall', 'Wallboard'],
  ['/maintenance', 'Maintenance'],
  ['/maintenance/new', 'Plan maintenance'],
  ['/status-pages', 'Status pages'],
  ['/status-pages/new', 'New status page'],
  ['/status-pages/services', 'Services of status pages'],
  ['/status-pages/services/new', 'New service of status pages'],
  ['/status-pages/incidents', 'Incidents of status pages'],
  ['/status-pages/incidents/new', 'New incident of status pages'],
  ['/settings/alerts', 'Alert settings'],
  ['/settings/variables', 'Variables and secrets'],
  ['/settings/snippets', 'Snippets'],
  ['/settings/private-locations', 'Private locations'],
  ['/settings/api-keys', 'API keys'],
  ['/settings/audit', 'Audit log'],
  ['/settings/profile', 'Profile'],
  ['/settings/account', 'Account'],
  ['/settings/usage', 'Usage and limits'],
] as const satisfies readonly (readonly [to: string, name: string, search?: OverviewSearch])[];

export function Palette({ isOpen, onOpenChange }: PaletteProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} isDismissable className={css['overlay'] ?? ''}>
      <Modal className={css['modal'] ?? ''}>
        <Dialog aria-label="Search and commands" className={css['dialog'] ?? ''}>
          <Commands onDone={() => onOpenChange(false)} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const navigate = useNavigate();
  const { run: mayRun, write } = useMay();
  const run = useWrite('createCheckTrigger');
  const accountId = use(AccountContext);
  const found = useQuery({
    ...read(accountId, 'getOverview', { query: { limit: 8, ...(search !== '' && { search }) } }),
    enabled: search !== '',
  });
  const rows = search === '' ? [] : (found.data?.rows ?? []);
  const matching = pages.filter(
    ([to, name]) => name.toLowerCase().includes(search.toLowerCase()) && (write || !/\/new$|^\/import$/.test(to)),
  );
  const go = (work: () => unknown) => (): void => {
    onDone();
    void work();
  };
  const start = async (checkId: string, name: string): Promise<void> => {
    await toast.of(run.mutateAsync({ params: { checkId } }), `Started ${name}`);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchText onDone={onDone} />
      <Menu
        aria-label="Results"
        className={css['menu'] ?? ''}
        renderEmptyState={() => (
          <p className={css['none']}>{found.isFetching ? 'Searching…' : `Nothing matches “${search}”.`}</p>
        )}
      >
        {rows.length > 0 && (
          <MenuSection>
            <Header className={css['header']}>Checks</Header>
            {rows.map((row) => (
              <MenuItem
                key={row.checkId}
                id={row.checkId}
                textValue={row.name}
                className={css['item'] ?? ''}
                onAction={go(() => navigate({ to: '/checks/$checkId', params: { checkId: row.checkId } }))}
              >
                <span>{row.name}</span>
                <RowState row={row} />
              </MenuItem>
            ))}
          </MenuSection>
        )}
        {(mayRun || write) && rows.length > 0 && (
          <MenuSection>
            <Header className={css['header']}>Commands</Header>
            {rows
              .filter(({ activated, checkType }) => mayRun && activated && !isCalled(checkType))
              .slice(0, 3)
              .map(({ checkId, name }) => (
                <MenuItem
                  key={checkId}
                  id={`run ${checkId}`}
                  textValue={`Run ${name} now`}
                  className={css['item'] ?? ''}
                  onAction={go(() => start(checkId, name))}
                >
                  Run {name} now
                </MenuItem>
              ))}
            {write && editCommands(rows, go, navigate)}
          </MenuSection>
        )}
        {matching.length > 0 && (
          <MenuSection>
            <Header className={css['header']}>Pages</Header>
            {matching.map(([to, name, filters]) => (
              <MenuItem
                key={name}
                id={name}
                textValue={name}
                className={css['item'] ?? ''}
                onAction={go(() => navigate(filters === undefined ? { to } : { to: '/', search: filters }))}
              >
                {name}
              </MenuItem>
            ))}
          </MenuSection>
        )}
      </Menu>
    </Autocomplete>
  );
}

/** Commands that open the editor of a check. */
function editCommands(
  rows: readonly { readonly checkId: string; readonly name: string }[],
  go: (work: () => unknown) => () => void,
  navigate: ReturnType<typeof useNavigate>,
) {
  return rows.slice(0, 3).flatMap(({ checkId, name }) =>
    (
      [
        ['Edit', () => navigate({ to: '/checks/$checkId/edit', params: { checkId } })],
        ['Duplicate', () => navigate({ to: '/checks/new', search: { copy: checkId } })],
      ] as const
    ).map(([verb, open]) => (
      <MenuItem
        key={`${verb} ${checkId}`}
        id={`${verb} ${checkId}`}
        textValue={`${verb} ${name}`}
        className={css['item'] ?? ''}
        onAction={go(open)}
      >
        {verb} {name}
      </MenuItem>
    )),
  );
}

/** Escape closes the palette; on its own the field would only be emptied. */
function SearchText({ onDone }: { readonly onDone: () => void }) {
  return (
    <SearchField
      aria-label="Search checks, pages and commands"
      autoFocus
      className={css['search'] ?? ''}
      onKeyDown={({ key }) => key === 'Escape' && onDone()}
    >
      <Input placeholder="Search checks, pages and commands" className={css['input'] ?? ''} />
    </SearchField>
  );
}
