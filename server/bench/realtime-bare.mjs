// The floor that the live channel is measured against: ws, and nothing else. Prints its address.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
sockets.on('connection', (socket) => {
  socket.on('message', () => socket.send('{"type":"ready","after":"0"}'));
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`);
});
