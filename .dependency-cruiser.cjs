// The import rules of docs/architecture.md. `npm run imports` checks them, types included.

const ground =
  '^functions/shared/(environment|errors|in-batches|limits|time|log|metrics|lambda-handler|queue-batch)[.]ts$|^functions/shared/generated/';

/** Which concepts of functions/shared a concept may import, beside itself and the ground. */
const concepts = {
  json: [],
  cms: [],
  aws: [],
  events: ['aws'],
  tls: ['aws'],
  service: ['tls', 'json'],
  token: ['service', 'tls', 'aws'],
  ledger: ['aws'],
  package: ['json', 'aws'],
  order: ['events', 'ledger', 'service', 'token', 'tls', 'json', 'aws'],
  polling: ['order', 'ledger'],
  signing: ['order', 'cms', 'aws'],
  offers: ['order', 'ledger', 'json', 'aws'],
  recovery: ['order', 'events', 'aws'],
  rejected: ['order', 'events', 'aws'],
  retention: ['rejected', 'order', 'aws'],
  legacy: ['ledger', 'service', 'token', 'tls', 'json', 'aws'],
};

const conceptRules = Object.entries(concepts).map(([concept, others]) => ({
  name: `shared-${concept}`,
  comment: `functions/shared/${concept} imports the ground and: ${others.join(', ') || 'nothing else of ours'}.`,
  severity: 'error',
  from: { path: `^functions/shared/${concept}/` },
  to: {
    path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/',
    pathNot: [`^functions/shared/(${[concept, ...others].join('|')})/`, ground],
  },
}));

/** Which folders at the root a folder may import, beside itself. */
const folders = {
  simulator: [],
  infra: ['functions/shared'],
  // Only the command `console` imports the server of the console: see the rule below.
  commands: ['functions/shared', 'infra', 'console/server'],
  console: ['functions/shared', 'infra', 'commands', 'statemachine'],
  local: ['functions/shared', 'infra', 'commands', 'console/server', 'simulator', 'bin/compile-cache'],
  bin: ['commands', 'infra'],
};

const folderRules = Object.entries(folders).map(([folder, others]) => ({
  name: `folder-${folder}`,
  comment: `${folder} imports of ours: ${others.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: {
    path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/',
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
      to: { path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/', pathNot: ground },
    },
    {
      name: 'handler-alone',
      comment: 'A function imports its own folder and functions/shared, never another function.',
      severity: 'error',
      from: { path: '^functions/(?!shared/)([^/]+)/' },
      to: {
        path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/',
        pathNot: ['^functions/$1/', '^functions/shared/'],
      },
    },
    {
      name: 'embedded-aws-alone',
      comment: 'The embedded AWS knows nothing of orders: it runs whatever stack it is given.',
      severity: 'error',
      from: { path: '^local/aws/' },
      to: {
        path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/',
        pathNot: '^local/aws/',
      },
    },
    {
      name: 'stacks-apart',
      comment: 'The order stack and the legacy stack share infra/constructs, nothing else.',
      severity: 'error',
      from: { path: '^infra/(order|legacy)/' },
      to: { path: '^infra/(order|legacy)/', pathNot: '^infra/$1/' },
    },
    {
      name: 'console-command-alone',
      comment: 'The console uses the commands. Of the commands, only the one that serves it knows it.',
      severity: 'error',
      from: { path: '^commands/', pathNot: '^commands/console-command[.]ts$' },
      to: { path: '^console/' },
    },
    {
      name: 'page-alone',
      comment: 'The page runs in a browser: it imports nothing of ours but the types that it shares with its server.',
      severity: 'error',
      from: { path: '^console/page/' },
      to: {
        path: '^(bench|bin|commands|console|functions|infra|local|scripts|simulator|test)/',
        pathNot: '^console/(page/|api[.]ts$)',
      },
    },
    {
      name: 'no-test-in-product',
      comment: 'Only tests import tests.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    ...conceptRules,
    ...folderRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
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
