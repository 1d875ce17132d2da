import 'reflect-metadata';
import { start } from '../../../src/start.js';
import { probeTools } from '../probe-tools.js';

/** The service with the tools of the tests; `PROBE_TOOLS` holds declarations of more of them, in JSON. */
await start([probeTools(process.env.PROBE_TOOLS)]);
