import 'reflect-metadata';
import { start } from '../../../src/start.js';
import { LedgerTools } from '../ledger-tools.js';

/** The service with tools that write each execution into the ledger at `LEDGER`. */
await start([LedgerTools]);
