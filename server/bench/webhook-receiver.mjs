// A fast subscriber in a process of its own: answers 200 as soon as a request has come. Prints its address.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.end());
});
server.listen(0, '127.0.0.1', () => {
  console.log(
    `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/hook`,
  );
});
