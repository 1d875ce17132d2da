/**
 * Who may import whom (docs/adr/0026-import-rules-are-tested.md). `npm run imports` checks it, and
 * test/architecture/import-rules.spec.ts plants a violation of every rule to see it found.
 */

/** The folders of `src`, and what each may import besides itself, as patterns of paths below `src/`. */
const MAY_IMPORT = {
  events: [],
  sqlite: [],
  config: [],
  // What of errors may be logged, and how; for every part that talks to an operator.
  logging: [],
  metrics: [],
  run: ['events/'],
  'event-store': ['events/'],
  'run-content': ['run/', 'event-store/', 'events/'],
  subscriptions: ['event-store/', 'sqlite/', 'events/'],
  tools: ['run/', 'events/'],
  models: ['run/', 'events/'],
  // Of the models it knows what a provider is, since a configuration names one.
  governance: ['tools/', 'models/provider-configuration[.]ts$', 'run/', 'event-store/', 'events/'],
  commands: ['governance/', 'tools/', 'run-content/', 'run/', 'event-store/', 'logging/', 'events/'],
  'tool-loop': ['governance/', 'tools/', 'models/', 'run-content/', 'run/', 'event-store/', 'events/'],
  // The one who knows people from elsewhere: of ours it only says what went wrong.
  openid: ['logging/'],
  // An application on top of the service, as somebody's own tools are; nothing but app.module.ts knows it.
  demonstration: ['commands/.+[.]command[.]ts$', 'governance/', 'tools/', 'events/'],
  sagas: [
    'commands/(.+[.]command|worker-settings)[.]ts$',
    'tool-loop/',
    'subscriptions/',
    'event-store/',
    'sqlite/',
    'logging/',
    'metrics/',
    'events/',
  ],
  projections: [
    // Folding alone: a projection decides nothing, and of governance it asks only rules that are pure
    // functions, and ports: whether a token was used, whether a tool is there.
    'run/(evolve|run-state)[.]ts$',
    'governance/(access|principal|tool-gate|turn-gate|token-use|tool-catalogue)[.]ts$',
    'run-content/',
    'event-store/',
    'subscriptions/',
    'sqlite/',
    'events/',
  ],
  http: [
    'commands/.+[.]command[.]ts$',
    'projections/.+[.]query[.]ts$',
    'governance/',
    // What is judged at the very edge: the form of a body and of a provider, and whether the store is there.
    'run/(i-json|json-pointer)[.]ts$',
    // The shape of a finding, which is part of its command.
    'run/decisions/resolve-call[.]ts$',
    'models/provider-configuration[.]ts$',
    'event-store/(errors|event-store|streams)[.]ts$',
    'openid/',
    'logging/',
    'metrics/',
    'events/',
  ],
  // Where ports meet their adapters and modules are made of parts: it may know every part.
  composition: ['[^/]+/'],
  // The operator's tool works on the files themselves, with whatever keeps them.
  cli: [
    'config/',
    'event-store/',
    'sqlite/',
    'subscriptions/',
    'projections/',
    'sagas/(due-file|due-table|retention/erasure-table)[.]ts$',
    // Lets an administrator in where no call can.
    'governance/(decisions/make-administrator|principal-record|records|tokens)[.]ts$',
    'run-content/',
    'run/',
    'logging/',
    'events/',
  ],
  inbox: [
    'commands/.+[.]command[.]ts$',
    'projections/.+[.]query[.]ts$',
    'governance/',
    'run/(input-schema|i-json|json-pointer)[.]ts$',
    // Its own calls of the interface are calls like any other: who may make them, and what their answers look like.
    'http/(admission|api-path|caller)[.]ts$',
    'http/(documentation|problems)/',
    // What administrators write on pages is judged as what they send to the interface.
    'http/(audit/list-audit[.]form|governance/(.+[.]body|actor-of|governance-problems|record-lists))[.]ts$',
    // They let go of whoever follows a run as the service stops.
    'http/streams/stopping[.]ts$',
    'http/(body/(unread-form|read-form|most-body-bytes)|limits/limits|streams/event-stream|runs/run-id[.]pipe)[.]ts$',
    'openid/',
    'event-store/errors[.]ts$',
    'logging/',
    'events/',
  ],
};

/** Drivers of the outside world, each behind the one folder that adapts it. */
const DRIVERS = [
  { name: 'sqlite-driver-only-in-sqlite', driver: '@photostructure/sqlite/', adapter: '^src/sqlite/' },
  {
    name: 'kurrentdb-client-only-in-its-adapter',
    driver: '@eventstore/db-client/',
    adapter: '^src/event-store/kurrentdb/',
  },
  { name: 'openid-libraries-only-in-openid', driver: '(jose|openid-client)/', adapter: '^src/openid/' },
  { name: 'model-sdk-only-in-models', driver: '(ai|@ai-sdk/[^/]+|undici)/', adapter: '^src/models/' },
];

const ADAPTER = '^src/event-store/[^/]+/';
const error = 'error';

/** One line of the table. What the adapters of the event store may import besides is a rule of its own. */
function folderRule([folder, others]) {
  const own = `^src/${folder}/`;
  const from = folder === 'event-store' ? { path: own, pathNot: ADAPTER } : { path: own };
  return {
    name: `imports-of-${folder}`,
    comment: 'the table in .dependency-cruiser.cjs does not grant it',
    severity: error,
    from,
    to: { path: '^src/', pathNot: [own, ...others.map((other) => `^src/${other}`)] },
  };
}

function driverRule({ name, driver, adapter }) {
  return {
    name,
    comment: 'a driver is imported by its adapter alone, so that it can be replaced there',
    severity: error,
    from: { path: '^src/', pathNot: adapter },
    to: { path: `(^|/)node_modules/${driver}` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(folderRule),
    {
      name: 'every-folder-is-in-the-table',
      comment: 'a new folder of src first gets its line in the table in .dependency-cruiser.cjs',
      severity: error,
      from: { path: `^src/(?!(?:${Object.keys(MAY_IMPORT).join('|')})/)[^/]+/` },
      to: {},
    },
    {
      name: 'imports-of-event-store-adapters',
      comment: 'an adapter of the event store imports its port, the driver module and the event types',
      severity: error,
      from: { path: ADAPTER },
      to: { path: '^src/', pathNot: ['^src/event-store/', '^src/sqlite/', '^src/events/'] },
    },
    {
      name: 'adapters-are-wired-in-one-place',
      comment: "only composition, and the operator's tool for its files, know which adapter stands behind a port",
      severity: error,
      from: { path: '^src/', pathNot: ['^src/composition/', '^src/cli/', ADAPTER] },
      to: { path: ADAPTER },
    },
    {
      name: 'adapters-do-not-know-each-other',
      comment: 'an adapter can be taken away without touching another',
      severity: error,
      from: { path: '^src/event-store/([^/]+)/' },
      to: { path: ADAPTER, pathNot: '^src/event-store/$1/' },
    },
    {
      name: 'nothing-imports-the-composition',
      comment: 'composition puts the parts together for app.module.ts; no part knows how',
      severity: error,
      from: { path: '^src/', pathNot: '^src/(composition/|app[.]module[.]ts$)' },
      to: { path: '^src/composition/' },
    },
    {
      name: 'nothing-imports-the-start',
      comment: 'app.module.ts, start.ts and main.ts stand on top of everything',
      severity: error,
      from: { path: '^src/', pathNot: '^src/(main|start)[.]ts$' },
      to: { path: '^src/[^/]+[.]ts$' },
    },
    {
      name: 'the-domain-knows-no-framework',
      comment: 'run and events are plain functions and types: no Nest, no reactive streams, no logger',
      severity: error,
      from: { path: '^src/(run|events)/' },
      to: { path: '(^|/)node_modules/(@nestjs/|rxjs/|reflect-metadata/|pino|nestjs-pino/|fastify/|@fastify/)' },
    },
    {
      name: 'the-domain-does-no-io',
      comment: 'of what Node brings, run may hash; files, sockets, processes and timers are for the edge',
      severity: error,
      from: { path: '^src/(run|events)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    ...DRIVERS.map(driverRule),
    {
      name: 'src-never-imports-tests',
      severity: error,
      from: { path: '^src/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'src-imports-only-dependencies',
      comment: 'what src imports is installed with the service, so it stands under "dependencies" of package.json',
      severity: error,
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'no-cycles', severity: error, from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: error, from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Types count: a type that is imported is known, and a cycle of types is a cycle of ideas.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
