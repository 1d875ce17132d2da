import { loadMasterKey } from '../../../src/event-store/master-key-file.js';

/** `load-master-key <file>`: a first start; sends the key's check value in hexadecimal. */
const [file] = process.argv.slice(2) as [string];

process.send?.(loadMasterKey({ file, hasSealedData: false }).checkValue.toString('hex'));
process.disconnect();
