// The navigation: a column beside the page, on a phone a bar below it.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useMatch, useNavigate } from '@tanstack/react-router';
import {
  Activity,
  BellRing,
  BookOpen,
  Braces,
  ChartColumn,
  FileCode,
  FileInput,
  FolderOpen,
  Gauge,
  KeyRound,
  LayoutGrid,
  LogOut,
  MapPin,
  Megaphone,
  Menu,
  Monitor,
  Moon,
  PanelsTopLeft,
  Plus,
  Scale,
  ScrollText,
  Search,
  Send,
  Server,
  Settings,
  ShieldCheck,
  Sun,
  TriangleAlert,
  UserRound,
  Users,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { clientOf } from '../api/client.ts';
import { storeAccount } from '../api/account.ts';
import type { LiveStatus } from '../api/live.ts';
import { useMay, useMe } from '../api/me.ts';
import { useRead } from '../api/query.ts';
import { isNarrowed, queryOf } from '../pages/overview/search.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { Choice } from '../ui/controls/field.tsx';
import { type Action, ActionMenu } from '../ui/controls/menu.tsx';
import { forgetDrafts } from '../ui/form/draft.ts';
import { applyTheme, useTheme } from '../ui/layout/theme.ts';
import css from './shell.module.css';

interface NavigationItem {
  readonly to:
    | '/'
    | '/alerts'
    | '/deliveries'
    | '/groups'
    | '/channels'
    | '/maintenance'
    | '/status-pages'
    | '/reports'
    | '/certificates'
    | '/ledger'
    | '/notices'
    | '/wall'
    | '/settings/system';
  readonly text: string;
  readonly icon: LucideIcon;
  readonly count?: number;
}

/** The query of the list if it counts every check, so that one request serves both. */
function useCountsQuery() {
  const search = useMatch({ from: '/shell/', shouldThrow: false })?.search;
  return search === undefined || isNarrowed(search) ? { limit: 1 } : queryOf(search);
}

function usePlaces(): readonly NavigationItem[] {
  const { operate } = useMay();
  const notices = useRead('listNotices');
  const overview = useRead('getOverview', { query: useCountsQuery() });
  return [
    { to: '/', text: 'Checks', icon: Activity, count: overview.data?.summary.failing ?? 0 },
    { to: '/alerts', text: 'Alerts', icon: BellRing },
    { to: '/deliveries', text: 'Deliveries', icon: Send, count: overview.data?.deliveries.retrying ?? 0 },
    { to: '/groups', text: 'Groups', icon: FolderOpen },
    { to: '/channels', text: 'Channels', icon: Megaphone },
    { to: '/maintenance', text: 'Maintenance', icon: Wrench },
    { to: '/status-pages', text: 'Status pages', icon: PanelsTopLeft, count: overview.data?.statusDrafts ?? 0 },
    { to: '/reports', text: 'Reports', icon: ChartColumn },
    { to: '/certificates', text: 'Certificates', icon: ShieldCheck },
    { to: '/ledger', text: 'Ledger', icon: Scale },
    { to: '/notices', text: 'Notices', icon: TriangleAlert, count: notices.data?.length ?? 0 },
    { to: '/wall', text: 'Wallboard', icon: LayoutGrid },
    ...(operate ? [{ to: '/settings/system', text: 'System', icon: Server } as const] : []),
  ];
}

export function Navigation({ onSearch, live }: { readonly onSearch: () => void; readonly live: LiveStatus }) {
  const places = usePlaces();
  const { write } = useMay();
  return (
    <>
      <nav className={css['side']} aria-label="Main">
        <Link to="/" className={css['brand']}>
          <img src="/favicon.svg" alt="" width="24" height="24" /> Tocsin
        </Link>
        <AccountSwitch />
        <Button kind="plain" onPress={onSearch}>
          <Search size={15} aria-hidden /> Search <kbd className={css['key']}>Ctrl K</kbd>
        </Button>
        {write && (
          <Link to="/checks/new" search={{}} className={css['create']}>
            <Plus size={15} aria-hidden /> New check
          </Link>
        )}
        <ul className={css['places']}>
          {places.map((place) => (
            <li key={place.to}>
              <PlaceLink place={place} />
            </li>
          ))}
        </ul>
        <div className={css['foot']}>
          <span className={css['live']} data-state={live.state}>
            {live.state === 'live' ? 'Live' : live.state === 'lost' ? 'Not live' : 'Connecting…'}
          </span>
          <PersonMenu />
        </div>
      </nav>
      <nav className={css['bottom']} aria-label="Main, short">
        {places.slice(0, 4).map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        <button type="button" className={css['place']} onClick={onSearch}>
          <Search size={20} aria-hidden /> Search
        </button>
        <PhoneMenu places={places.slice(4)} />
      </nav>
    </>
  );
}

function PlaceLink({ place: { to, text, icon: Icon, count = 0 } }: { readonly place: NavigationItem }) {
  return (
    <Link to={to} className={css['place']} activeOptions={{ exact: to === '/', includeSearch: false }}>
      <Icon size={18} aria-hidden />
      <span>{text}</span>
      {count > 0 && <span className={css['count']}>{count}</span>}
    </Link>
  );
}

function AccountSwitch() {
  const { accounts, accountId } = useMe();
  if (accounts.length < 2) return null;
  return (
    <Choice
      label="Account"
      isLabelHidden
      value={accountId}
      options={accounts.map(({ id, name }) => [id, name] as const)}
      onChange={(id) => {
        storeAccount(id);
        location.assign('/');
      }}
    />
  );
}

interface PersonPage {
  readonly to:
    | '/import'
    | '/settings/profile'
    | '/settings/account'
    | '/settings/alerts'
    | '/settings/variables'
    | '/settings/snippets'
    | '/settings/private-locations'
    | '/settings/usage'
    | '/settings/people'
    | '/settings/api-keys'
    | '/settings/audit';
  readonly text: string;
  readonly icon: LucideIcon;
  /** Who sees it; null = everybody. */
  readonly needs: 'write' | 'admin' | null;
}

const personPages: readonly PersonPage[] = [
  { to: '/settings/profile', text: 'Profile', icon: UserRound, needs: null },
  { to: '/settings/account', text: 'Account', icon: Settings, needs: null },
  { to: '/settings/alerts', text: 'Alert settings', icon: BellRing, needs: null },
  { to: '/settings/variables', text: 'Variables and secrets', icon: Braces, needs: null },
  { to: '/settings/snippets', text: 'Snippets', icon: FileCode, needs: null },
  { to: '/settings/private-locations', text: 'Private locations', icon: MapPin, needs: null },
  { to: '/import', text: 'Import', icon: FileInput, needs: 'write' },
  { to: '/settings/usage', text: 'Usage and limits', icon: Gauge, needs: null },
  { to: '/settings/people', text: 'People', icon: Users, needs: 'admin' },
  { to: '/settings/api-keys', text: 'API keys', icon: KeyRound, needs: 'admin' },
  { to: '/settings/audit', text: 'Audit log', icon: ScrollText, needs: 'admin' },
];

/** Pages of the account, theme and signing out. */
function usePersonActions(): readonly Action[] {
  const me = useMe();
  const { admin, write } = useMay();
  const theme = useTheme();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const signOut = async (): Promise<void> => {
    await clientOf('').call('signOut');
    forgetDrafts();
    cache.clear();
    await navigate({ to: '/sign-in', search: {} });
  };
  const themeAction = (id: 'light' | 'dark' | 'system', label: string, icon: Action['icon']): Action => ({
    id,
    label: theme === id ? `${label} (chosen)` : label,
    icon,
    run: () => applyTheme(id),
  });
  const pages = personPages.filter(({ needs }) => needs === null || (needs === 'write' ? write : admin));
  return [
    ...pages.map(({ to, text, icon: Icon }) => ({
      id: to,
      label: to === '/settings/profile' ? (me.user?.email ?? text) : text,
      icon: <Icon size={16} />,
      run: () => void navigate({ to, search: {} }),
    })),
    { id: 'docs', label: 'API reference', icon: <BookOpen size={16} />, run: () => location.assign('/docs') },
    themeAction('system', 'Theme: system', <Monitor size={16} />),
    themeAction('light', 'Theme: light', <Sun size={16} />),
    themeAction('dark', 'Theme: dark', <Moon size={16} />),
    { id: 'out', label: 'Sign out', icon: <LogOut size={16} />, run: () => void signOut() },
  ];
}

function PersonMenu() {
  const actions = usePersonActions();
  return (
    <ActionMenu
      label="Profile and theme"
      actions={actions}
      trigger={
        <IconButton label="Profile and theme">
          <UserRound size={18} />
        </IconButton>
      }
    />
  );
}

function PhoneMenu({ places }: { readonly places: readonly NavigationItem[] }) {
  const navigate = useNavigate();
  const actions = usePersonActions();
  const { write } = useMay();
  const create: Action = {
    id: 'new-check',
    label: 'New check',
    icon: <Plus size={16} />,
    run: () => void navigate({ to: '/checks/new', search: {} }),
  };
  const links = places.map(({ to, text, icon: Icon, count = 0 }) => ({
    id: to,
    label: count > 0 ? `${text} (${count})` : text,
    icon: <Icon size={16} />,
    run: () => void navigate({ to }),
  }));
  return (
    <ActionMenu
      label="More"
      actions={[...(write ? [create] : []), ...links, ...actions]}
      trigger={
        <IconButton label="More">
          <Menu size={20} />
        </IconButton>
      }
    />
  );
}
