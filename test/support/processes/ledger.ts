import { createServer } from 'node:http';

/*
 * A ledger outside of every process that may be killed: writes down each execution of a tool as it begins, and tells
 * them on request. Prints its address.
 */
const lines: string[] = [];

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(lines.map((line) => JSON.parse(line))));
    return;
  }
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    lines.push(body);
    response.end();
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.(`http://127.0.0.1:${port}`);
});
