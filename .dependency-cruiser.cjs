// The import rules of docs/architecture.md. `npm run imports` checks them, types included.

/** Every folder of ours. */
const ours = '^(bank-exchange|bin|commands|console|core|functions|infra|laptop|packages|scripts|statemachine|test)/';

const ground =
  '^core/(errors|settings|in-batches|bounded|used-secrets|time|timeouts|log|metrics|queue-batch)[.]ts$|^core/(generated|messages)/';

const signatures = 'packages/detached-signatures';

/** Which rooms of core, and which packages, a room may import beside itself and the ground. */
const rooms = {
  json: [],
  aws: [],
  http: ['aws'],
  service: ['http', 'json', 'aws'],
  events: ['aws'],
  ledger: ['service', 'aws'],
  'order-service': ['service', 'http', 'json', 'aws'],
  package: ['json', 'aws'],
  order: ['order-service', 'service', 'ledger', 'events', 'package', 'json', 'aws'],
  staging: ['order', 'package', 'events', 'aws'],
  driving: ['staging', 'order', 'package', 'events', 'aws'],
  signing: ['staging', 'order', 'package', 'http', 'aws', signatures],
  offers: ['staging', 'order', 'order-service', 'package', 'ledger', 'json', 'aws'],
  recovery: ['driving', 'staging', 'order', 'package', 'events', 'service', 'aws'],
  reading: ['order', 'order-service', 'offers', 'recovery', 'ledger'],
};

const roomRules = Object.entries(rooms).map(([room, others]) => ({
  name: `core-${room}`,
  comment: `core/${room} imports the ground and: ${others.join(', ') || 'nothing else of ours'}.`,
  severity: 'error',
  from: { path: `^core/${room}/` },
  to: {
    path: ours,
    pathNot: [...[room, ...others].map((to) => (to.includes('/') ? `^${to}/` : `^core/${to}/`)), ground],
  },
}));

/** Which folders at the root a folder may import, beside itself. */
const folders = {
  core: [signatures],
  statemachine: ['core/aws'],
  // Only a rehearsal deploys the simulator: see the rule below.
  infra: ['core', 'statemachine', 'packages/order-simulator', signatures],
  // Only the command `console` imports the server of the console: see the rule below.
  commands: [
    'core',
    'infra',
    'statemachine',
    'console/server',
    signatures,
    'packages/order-simulator',
    'bank-exchange',
    // Only `local`, which runs it: see the rule below.
    'laptop',
  ],
  console: ['core', 'infra', 'commands', signatures],
  laptop: ['core', 'infra', 'commands', 'console/server', 'packages', 'bin/compile-cache', 'bank-exchange'],
  bin: ['commands', 'infra', 'bank-exchange'],
};

const folderRules = Object.entries(folders).map(([folder, others]) => ({
  name: `folder-${folder}`,
  comment: `${folder} imports of ours: ${others.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: {
    path: ours,
    pathNot: `^(${[folder, ...others].join('|')})[/.]`,
  },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'A circle has no part that can be understood alone. Type imports count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'The imported file or package does not exist.',
      severity: 'error',
      from: {},
      // Types alone, of @types/aws-lambda.
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    {
      name: 'ground',
      comment: 'Everybody imports the ground, so it imports nothing of ours but itself.',
      severity: 'error',
      from: { path: ground },
      to: { path: ours, pathNot: ground },
    },
    {
      name: 'outbox-sent',
      comment: 'Whoever changes an order sends its outbox: use core/driving, which does.',
      severity: 'error',
      from: { pathNot: '^(core/(order|driving|staging)/|core/offers/decision[.]ts$|test/)' },
      to: { path: '^core/order/change-order[.]ts$' },
    },
    {
      name: 'handler-alone',
      comment: 'A function imports its own folder, core and the packages, never another function.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: {
        path: ours,
        pathNot: ['^functions/$1/', '^core/', `^${signatures}/`],
      },
    },
    {
      name: 'package-alone',
      comment:
        'A package imports nothing of ours but itself. The simulator checks GOST signatures with the package for signatures.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: '^packages/[^/]+/test/' },
      to: { path: ours, pathNot: ['^packages/$1/', '^packages/detached-signatures/'] },
    },
    {
      name: 'bank-exchange-alone',
      comment: 'Delete the obsolete bank exchange and the three marked lines, and it is gone: nothing else uses it.',
      severity: 'error',
      from: {
        pathNot: '^(bank-exchange/|bin/app[.]ts$|commands/program[.]ts$|test/infra/cloudformation[.]test[.]ts$)',
      },
      to: { path: '^bank-exchange/' },
    },
    {
      name: 'simulator-in-rehearsals',
      comment: 'Of what is deployed, only the function of rehearsals runs the simulator.',
      severity: 'error',
      from: { path: '^(infra|functions|core)/', pathNot: '^infra/rehearsal/simulator/' },
      to: { path: '^packages/order-simulator/' },
    },
    {
      name: 'console-command-alone',
      comment: 'The console uses the commands. Of the commands, only the one that serves it knows it.',
      severity: 'error',
      from: { path: '^commands/', pathNot: '^commands/console[.]ts$' },
      to: { path: '^console/' },
    },
    {
      name: 'local-command-alone',
      comment: 'The laptop uses the commands. Of the commands, only the one that runs it knows it.',
      severity: 'error',
      from: { path: '^commands/', pathNot: '^commands/local[.]ts$' },
      to: { path: '^laptop/' },
    },
    {
      name: 'page-alone',
      comment:
        'The page runs in a browser: it imports nothing of ours but the types that it shares with its server, a pattern, how a sentence is found, and how JSON text is edited by its schema.',
      severity: 'error',
      from: { path: '^console/page/' },
      to: {
        path: ours,
        pathNot:
          '^(console/(page/|api[.]ts$)|commands/shared/unseen[.]ts$|core/(messages/say|json/(edit-json|form-schema))[.]ts$)',
      },
    },
    {
      name: 'no-test-in-product',
      comment: 'Only tests import tests.',
      severity: 'error',
      from: { pathNot: '(^|/)test/|^vitest[.]' },
      to: { path: '(^|/)test/' },
    },
    ...roomRules,
    ...folderRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(cdk[.]out|build/|dist/|coverage/|[.][a-z])' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
