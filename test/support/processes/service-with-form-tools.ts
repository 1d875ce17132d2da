import 'reflect-metadata';
import { start } from '../../../src/start.js';
import { formTools } from '../form-tools.js';

/** The service with tools that ask for everything that a form can ask for. */
await start([formTools()]);
