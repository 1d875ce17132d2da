import 'reflect-metadata';
import { Database } from '../../../src/sqlite/database.js';
import { start } from '../../../src/start.js';

/*
 * The service, whose files can be full: SIGWINCH forbids every database that it has open to grow by a page, the next one
 * allows it again. SQLite then answers as it does where the disk has no space.
 */
const open = new Set<Database>();
const { prepare } = Database.prototype;
Database.prototype.prepare = function <Row>(this: Database, ...given: Parameters<typeof prepare>) {
  open.add(this);
  return prepare.apply<Database, Parameters<typeof prepare>, ReturnType<typeof prepare<Row>>>(this, given);
};

const NO_LIMIT = 1_073_741_823;
let full = false;
process.on('SIGWINCH', () => {
  full = !full;
  // SQLite takes no limit below the present size: 1 stands for what there is.
  for (const database of open) {
    try {
      database.exec(`PRAGMA max_page_count = ${full ? 1 : NO_LIMIT}`);
    } catch {
      // It was closed meanwhile.
      open.delete(database);
    }
  }
  process.stderr.write(`files are ${full ? 'full' : 'free'}\n`);
});

await start();
