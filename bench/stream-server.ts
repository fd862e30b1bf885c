import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * The server for transfers, in its own process. It acts as the order service and S3. GET returns as many bytes as the number at the
 * end of the path. Bodies of other requests are discarded. The server prints its address.
 */
const block = randomBytes(64 * 1024);
/** The answer to CreateMultipartUpload and CompleteMultipartUpload. */
const UPLOAD = '<Upload><UploadId>1</UploadId></Upload>';

function* bytes(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= block.length) yield left >= block.length ? block : block.subarray(0, left);
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'GET') {
      const size = Number(/(\d+)(\/download)?(\?.*)?$/.exec(request.url ?? '')?.[1] ?? 0);
      response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' });
      await pipeline(Readable.from(bytes(size), { objectMode: false }), response);
      return;
    }
    await pipeline(request, new Writable({ write: (_chunk, _encoding, done) => done() }));
    const isUpload = /[?&]upload(s|Id)\b/.test(request.url ?? '');
    const status = request.method === 'PUT' || isUpload ? 200 : 201;
    response.writeHead(status, { etag: '"forgotten"', 'x-amz-version-id': '1' }).end(isUpload ? UPLOAD : '');
  } catch {
    // The client has closed the connection.
    response.destroy();
  }
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as { port: number }).port}\n`);
});
