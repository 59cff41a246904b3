// Projects of the `checkly` command line become declared resources.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliProjectBody, CliResource } from '#contract/vendor/cli-project.ts';
import type { JsonObject } from '#domain/json.ts';
import { declaredProject } from './declare.ts';

const office = '0199f0c4-0000-7000-8000-0000000000aa';

function resource(type: string, logicalId: string, payload: JsonObject | null, more: object = {}): CliResource {
  return { type, logicalId, payload, member: true, ...more };
}

function declared(resources: readonly CliResource[], sharedFiles: CliProjectBody['sharedFiles'] = []) {
  const project = { logicalId: 'shop', name: 'Shop', repoUrl: null };
  const slugOf = (id: string) => (id === office ? 'office' : undefined);
  return declaredProject({ project, resources: [...resources], sharedFiles, repoInfo: null }, slugOf);
}

/** The payload of the only resource of a type. */
function payloadOf(of: ReturnType<typeof declared>, type: string): JsonObject | undefined {
  return of.resources.find((each) => each.type === type)?.payload;
}

const check = (payload: JsonObject = {}) => resource('check', 'home', { checkType: 'URL', name: 'Home', ...payload });

describe('a check of the command line', () => {
  test('lists the channels and locations that other constructs assign to it', () => {
    const ref = (logicalId: string) => ({ ref: logicalId });
    const found = declared([
      check({ groupId: ref('web') }),
      resource('check-group', 'web', { name: 'Web', v: 2 }),
      resource('alert-channel', 'ops', { type: 'EMAIL', config: { address: 'ops@example.com' } }),
      resource('alert-channel', 'known', null, { member: false, physicalId: 7 }),
      resource('alert-channel-subscription', 'a', {
        alertChannelId: ref('ops'),
        checkId: ref('home'),
        activated: true,
      }),
      resource('alert-channel-subscription', 'b', { alertChannelId: ref('known'), checkId: ref('home') }),
      resource('alert-channel-subscription', 'c', {
        alertChannelId: ref('ops'),
        checkId: ref('home'),
        activated: false,
      }),
      resource('alert-channel-subscription', 'd', { alertChannelId: ref('ops'), groupId: ref('web'), activated: true }),
      resource('private-location', 'office', null, { member: false, physicalId: office }),
      resource('private-location-check-assignment', 'f', { privateLocationId: ref('office'), checkId: ref('home') }),
      resource('private-location-group-assignment', 'g', { privateLocationId: ref('office'), groupId: ref('web') }),
    ]);
    assert.deepEqual(found.refused, []);
    assert.deepEqual(payloadOf(found, 'check'), {
      checkType: 'URL',
      name: 'Home',
      groupId: { ref: 'web' },
      alertChannelSubscriptions: [
        { alertChannelId: { ref: 'ops' }, activated: false },
        { alertChannelId: 7, activated: true },
      ],
      privateLocations: ['office'],
    });
    assert.deepEqual(payloadOf(found, 'check-group'), {
      name: 'Web',
      alertChannelSubscriptions: [{ alertChannelId: { ref: 'ops' }, activated: true }],
      privateLocations: ['office'],
    });
    assert.deepEqual(
      found.resources.map(({ type }) => type),
      ['check', 'check-group', 'alert-channel'],
      'references and assignments are no resources',
    );
  });

  test('is in a group that exists by its number', () => {
    const web = resource('check-group', 'check-group-5', null, { member: false, physicalId: 5 });
    assert.equal(payloadOf(declared([check({ groupId: { ref: 'check-group-5' } }), web]), 'check')?.['groupId'], 5);
    assert.equal(payloadOf(declared([check()]), 'check')?.['groupId'], null);
  });

  test('has the files that its script imports', () => {
    const files = [
      { path: 'a.ts', content: 'a' },
      { path: 'b.ts', content: 'b' },
    ];
    const script = { checkType: 'BROWSER', script: "import './b'", scriptPath: 'home.ts', snapshots: [] };
    const payload = payloadOf(declared([check({ ...script, dependencies: [1] })], files), 'check');
    assert.deepEqual(payload?.['dependencies'], [{ path: 'b.ts', content: 'b' }]);
    assert.equal(payload && 'snapshots' in payload, false);
    const hooks = { localSetupScript: '1', setupScriptPath: 'setup.ts', setupScriptDependencies: [] };
    assert.equal(payloadOf(declared([check(hooks)]), 'check')?.['setupScriptPath'], undefined);
  });
});

test('a group of the first version has the settings that the second leaves to its checks', () => {
  const first = payloadOf(declared([resource('check-group', 'a', { name: 'A', runParallel: true })]), 'check-group');
  assert.equal(first?.['runParallel'], true);
  assert.deepEqual(first?.['alertSettings'], {
    escalationType: 'RUN_BASED',
    runBasedEscalation: { failedRunThreshold: 1 },
  });
  const second = payloadOf(declared([resource('check-group', 'a', { name: 'A', v: 2 })]), 'check-group');
  assert.deepEqual(second, { name: 'A', alertChannelSubscriptions: [] });
});

test('what there is not is refused with a sentence that names the construct', () => {
  const { refused } = declared([
    resource('dashboard', 'wall', { header: 'Wall' }),
    resource('moon-phase', 'full', {}),
    resource('constructor', 'odd', {}),
    resource('check', 'grpc', { checkType: 'GRPC', name: 'gRPC' }),
    resource('check', 'healed', { checkType: 'BROWSER', name: 'Healed', aiAutoRepairEnabled: true }),
    resource('check', 'hooked', { checkType: 'API', name: 'Hooked', setupScriptDependencies: [0] }),
    resource('alert-channel-subscription', 's', { alertChannelId: { ref: 'x' }, checkId: { ref: 'elsewhere' } }),
    check(),
    resource('private-location', 'office', null, { member: false, physicalId: 'gone' }),
    resource('private-location-check-assignment', 'f', {
      privateLocationId: { ref: 'office' },
      checkId: { ref: 'home' },
    }),
  ]);
  assert.deepEqual(refused.toSorted(), [
    'alert-channel-subscription "s": the check or group is not part of the project.',
    'check "grpc": Tocsin has no checks of the type GRPC.',
    'check "healed": Tocsin does not repair scripts.',
    'check "hooked": setup and teardown scripts cannot import files. Put the code into the script.',
    'constructor "odd": Tocsin has no resources of the type constructor.',
    'dashboard "wall": Tocsin has no dashboards. Declare a status page instead.',
    'moon-phase "full": Tocsin has no resources of the type moon-phase.',
    'private-location-check-assignment "f": the private location is unknown.',
  ]);
});

test('a file counts for each check that imports it, and logical IDs have a limit', () => {
  const sharedFiles = [{ path: 'big.ts', content: 'x'.repeat(500_000) }];
  const flows = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      return resource('check', `flow-${index}`, { checkType: 'MULTI_STEP', name: 'Flow', dependencies: [0] });
    });
  assert.deepEqual(declared(flows(48), sharedFiles).refused, []);
  assert.deepEqual(declared(flows(49), sharedFiles).refused, [
    'The files that checks import have 25 MB, counted once for each check: at most 24 MB.',
  ]);
  const long = resource('check', 'x'.repeat(256), { checkType: 'URL', name: 'Long' });
  assert.deepEqual(declared([long]).refused, [
    `check "${'x'.repeat(50)}…": the logical ID has more than 255 characters.`,
  ]);
});
