import { connect } from 'node:net';

/**
 * Sends bytes over a connection of their own, whether or not they are HTTP, and gives back all that comes until the other
 * side closes it.
 */
export function rawAnswer(address: string, request: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    // A connection can be reset behind its answer, where the other side has not read everything.
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
  });
}
