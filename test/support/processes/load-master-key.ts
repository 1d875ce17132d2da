import { loadMasterKey } from '../../../src/event-store/master-key-file.js';

/**
 * `load-master-key`: says `ready`, and then answers each message, the name of a key file, as at a first start: with the
 * key's check value in hexadecimal. Ends when its parent disconnects.
 */
process.on('message', (file: string) => {
  process.send?.(loadMasterKey({ file, hasSealedData: false }).checkValue.toString('hex'));
});
process.send?.('ready');
