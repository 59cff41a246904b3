// Routes of all pages. Linkable state, such as filters and ranges, is in the search parameters.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { overviewSearch } from '../pages/overview/search.ts';
import { checkSearch } from '../pages/check/search.ts';
import { newGroupSearch } from '../pages/group-editor/search.ts';
import { newChannelSearch } from '../pages/channels/search.ts';
import { newCheckSearch } from '../pages/check-editor/search.ts';
import { importSearch } from '../pages/import/search.ts';
import { maintenanceSearch } from '../pages/maintenance/search.ts';
import { wallSearch } from '../pages/wall/search.ts';
import { alertsSearch } from '../pages/alerts/search.ts';
import { certificatesSearch } from '../pages/certificates/search.ts';
import { ledgerSearch } from '../pages/ledger/search.ts';
import { reportsSearch } from '../pages/reports/search.ts';
import { auditSearch } from '../pages/audit/search.ts';
import { deliveriesSearch } from '../pages/deliveries/search.ts';
import { nextPage } from '../pages/sign-in/search.ts';
import { forWriters } from '../ui/layout/for-writers.tsx';
import { NotFound, PageFault } from './faults.tsx';
import { Shell } from './shell.tsx';

/** Parses search parameters. Unknown ones are removed, because the router would pass them on unchecked. */
function only<Search extends object>(read: (search: Record<string, unknown>) => Search) {
  return (search: Search & SearchSchemaInput): Search => {
    const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...none, ...read({ ...search }) };
  };
}

const root = createRootRoute({ component: Outlet, errorComponent: PageFault });

/** Pages with the navigation, for signed-in users. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: only(overviewSearch),
  component: lazyRouteComponent(() => import('../pages/overview/page.tsx'), 'OverviewPage'),
});
const check = createRoute({
  getParentRoute: () => shell,
  path: '/checks/$checkId',
  validateSearch: only(checkSearch),
  component: lazyRouteComponent(() => import('../pages/check/page.tsx'), 'CheckPage'),
});
const newCheck = createRoute({
  getParentRoute: () => shell,
  path: '/checks/new',
  validateSearch: only(newCheckSearch),
  component: forWriters(lazyRouteComponent(() => import('../pages/check-editor/page.tsx'), 'NewCheckPage')),
});
const editCheck = createRoute({
  getParentRoute: () => shell,
  path: '/checks/$checkId/edit',
  component: forWriters(lazyRouteComponent(() => import('../pages/check-editor/page.tsx'), 'EditCheckPage')),
});
const importing = createRoute({
  getParentRoute: () => shell,
  path: '/import',
  validateSearch: only(importSearch),
  component: forWriters(lazyRouteComponent(() => import('../pages/import/page.tsx'), 'ImportPage')),
});
const result = createRoute({
  getParentRoute: () => shell,
  path: '/checks/$checkId/results/$resultId',
  component: lazyRouteComponent(() => import('../pages/result/page.tsx'), 'ResultPage'),
});
const channels = createRoute({
  getParentRoute: () => shell,
  path: '/channels',
  component: lazyRouteComponent(() => import('../pages/channels/page.tsx'), 'ChannelsPage'),
});
const newChannel = createRoute({
  getParentRoute: () => shell,
  path: '/channels/new',
  validateSearch: only(newChannelSearch),
  component: forWriters(lazyRouteComponent(() => import('../pages/channels/channel.tsx'), 'NewChannelPage')),
});
const channel = createRoute({
  getParentRoute: () => shell,
  path: '/channels/$channelId',
  component: lazyRouteComponent(() => import('../pages/channels/channel.tsx'), 'ChannelPage'),
});
const groups = createRoute({
  getParentRoute: () => shell,
  path: '/groups',
  component: lazyRouteComponent(() => import('../pages/groups/page.tsx'), 'GroupsPage'),
});
const group = createRoute({
  getParentRoute: () => shell,
  path: '/groups/$groupId',
  component: lazyRouteComponent(() => import('../pages/group/page.tsx'), 'GroupPage'),
});
const newGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/new',
  validateSearch: only(newGroupSearch),
  component: forWriters(lazyRouteComponent(() => import('../pages/group-editor/page.tsx'), 'NewGroupPage')),
});
const editGroup = createRoute({
  getParentRoute: () => shell,
  path: '/groups/$groupId/edit',
  component: forWriters(lazyRouteComponent(() => import('../pages/group-editor/page.tsx'), 'EditGroupPage')),
});
const alerts = createRoute({
  getParentRoute: () => shell,
  path: '/alerts',
  validateSearch: only(alertsSearch),
  component: lazyRouteComponent(() => import('../pages/alerts/page.tsx'), 'AlertsPage'),
});
const deliveries = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries',
  validateSearch: only(deliveriesSearch),
  component: lazyRouteComponent(() => import('../pages/deliveries/page.tsx'), 'DeliveriesPage'),
});
const delivery = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../pages/delivery/page.tsx'), 'DeliveryPage'),
});
const notices = createRoute({
  getParentRoute: () => shell,
  path: '/notices',
  component: lazyRouteComponent(() => import('../pages/notices/page.tsx'), 'NoticesPage'),
});
const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reports',
  validateSearch: only(reportsSearch),
  component: lazyRouteComponent(() => import('../pages/reports/page.tsx'), 'ReportsPage'),
});
const certificates = createRoute({
  getParentRoute: () => shell,
  path: '/certificates',
  validateSearch: only(certificatesSearch),
  component: lazyRouteComponent(() => import('../pages/certificates/page.tsx'), 'CertificatesPage'),
});
const ledger = createRoute({
  getParentRoute: () => shell,
  path: '/ledger',
  validateSearch: only(ledgerSearch),
  component: lazyRouteComponent(() => import('../pages/ledger/page.tsx'), 'LedgerPage'),
});
const system = createRoute({
  getParentRoute: () => shell,
  path: '/settings/system',
  component: lazyRouteComponent(() => import('../pages/system/page.tsx'), 'SystemPage'),
});
const profile = createRoute({
  getParentRoute: () => shell,
  path: '/settings/profile',
  component: lazyRouteComponent(() => import('../pages/profile/page.tsx'), 'ProfilePage'),
});
const people = createRoute({
  getParentRoute: () => shell,
  path: '/settings/people',
  component: lazyRouteComponent(() => import('../pages/people/page.tsx'), 'PeoplePage'),
});
const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('../pages/api-keys/page.tsx'), 'ApiKeysPage'),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/settings/audit',
  validateSearch: only(auditSearch),
  component: lazyRouteComponent(() => import('../pages/audit/page.tsx'), 'AuditPage'),
});
const variables = createRoute({
  getParentRoute: () => shell,
  path: '/settings/variables',
  component: lazyRouteComponent(() => import('../pages/variables/page.tsx'), 'VariablesPage'),
});
const snippets = createRoute({
  getParentRoute: () => shell,
  path: '/settings/snippets',
  component: lazyRouteComponent(() => import('../pages/snippets/page.tsx'), 'SnippetsPage'),
});
const privateLocations = createRoute({
  getParentRoute: () => shell,
  path: '/settings/private-locations',
  component: lazyRouteComponent(() => import('../pages/private-locations/page.tsx'), 'PrivateLocationsPage'),
});
const maintenance = createRoute({
  getParentRoute: () => shell,
  path: '/maintenance',
  validateSearch: only(maintenanceSearch),
  component: lazyRouteComponent(() => import('../pages/maintenance/page.tsx'), 'MaintenancePage'),
});
const newWindow = createRoute({
  getParentRoute: () => shell,
  path: '/maintenance/new',
  component: forWriters(lazyRouteComponent(() => import('../pages/maintenance/edit.tsx'), 'NewWindowPage')),
});
const maintenanceWindow = createRoute({
  getParentRoute: () => shell,
  path: '/maintenance/$windowId',
  component: lazyRouteComponent(() => import('../pages/maintenance/window.tsx'), 'WindowPage'),
});
const editWindow = createRoute({
  getParentRoute: () => shell,
  path: '/maintenance/$windowId/edit',
  component: forWriters(lazyRouteComponent(() => import('../pages/maintenance/edit.tsx'), 'EditWindowPage')),
});
const statusPages = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages',
  component: lazyRouteComponent(() => import('../pages/status-pages/page.tsx'), 'StatusPagesPage'),
});
const newStatusPage = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/new',
  component: forWriters(lazyRouteComponent(() => import('../pages/status-pages/page-editor.tsx'), 'NewStatusPagePage')),
});
const statusPage = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/$pageId',
  component: lazyRouteComponent(() => import('../pages/status-pages/page-editor.tsx'), 'StatusPagePage'),
});
const statusSubscribers = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/$pageId/subscribers',
  component: forWriters(
    lazyRouteComponent(() => import('../pages/status-pages/subscribers.tsx'), 'StatusSubscribersPage'),
  ),
});
const statusServices = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/services',
  component: lazyRouteComponent(() => import('../pages/status-pages/services.tsx'), 'StatusServicesPage'),
});
const newStatusService = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/services/new',
  component: forWriters(
    lazyRouteComponent(() => import('../pages/status-pages/service-editor.tsx'), 'NewStatusServicePage'),
  ),
});
const statusService = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/services/$serviceId',
  component: lazyRouteComponent(() => import('../pages/status-pages/service-editor.tsx'), 'StatusServicePage'),
});
const statusIncidents = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/incidents',
  component: lazyRouteComponent(() => import('../pages/status-pages/incidents.tsx'), 'StatusIncidentsPage'),
});
const newStatusIncident = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/incidents/new',
  component: forWriters(
    lazyRouteComponent(() => import('../pages/status-pages/new-incident.tsx'), 'NewStatusIncidentPage'),
  ),
});
const statusIncident = createRoute({
  getParentRoute: () => shell,
  path: '/status-pages/incidents/$incidentId',
  component: lazyRouteComponent(() => import('../pages/status-pages/incident.tsx'), 'StatusIncidentPage'),
});
const alertSettings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/alerts',
  component: lazyRouteComponent(() => import('../pages/alert-settings/page.tsx'), 'AlertSettingsPage'),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: '/settings/account',
  component: lazyRouteComponent(() => import('../pages/account/page.tsx'), 'AccountPage'),
});
const usage = createRoute({
  getParentRoute: () => shell,
  path: '/settings/usage',
  component: lazyRouteComponent(() => import('../pages/usage/page.tsx'), 'UsagePage'),
});
/** Every other path, with the navigation. */
const other = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound });
const wall = createRoute({
  getParentRoute: () => root,
  path: '/wall',
  validateSearch: only(wallSearch),
  component: lazyRouteComponent(() => import('../pages/wall/page.tsx'), 'WallPage'),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: only(nextPage),
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in.tsx'), 'SignInPage'),
});
const providerCallback = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/callback',
  component: lazyRouteComponent(() => import('../pages/sign-in/provider.tsx'), 'CallbackPage'),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/sign-in/setup.tsx'), 'SetupPage'),
});
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(() => import('../pages/sign-in/invite.tsx'), 'InvitePage'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('../pages/sign-in/reset-password.tsx'), 'ResetPasswordPage'),
});

const tree = root.addChildren([
  shell.addChildren([
    overview,
    check,
    newCheck,
    editCheck,
    importing,
    result,
    channels,
    newChannel,
    channel,
    groups,
    group,
    newGroup,
    editGroup,
    alerts,
    deliveries,
    delivery,
    notices,
    reports,
    certificates,
    ledger,
    system,
    profile,
    people,
    apiKeys,
    audit,
    variables,
    snippets,
    privateLocations,
    maintenance,
    newWindow,
    maintenanceWindow,
    editWindow,
    statusPages,
    newStatusPage,
    statusPage,
    statusSubscribers,
    statusServices,
    newStatusService,
    statusService,
    statusIncidents,
    newStatusIncident,
    statusIncident,
    alertSettings,
    account,
    usage,
    other,
  ]),
  wall,
  signIn,
  providerCallback,
  setup,
  invite,
  resetPassword,
]);

export function createAppRouter() {
  return createRouter({ routeTree: tree, defaultPreload: 'intent', scrollRestoration: true });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
