import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context } from './context.ts';
import { prepare } from './held-bodies.ts';
import { sendTag } from './single-object.ts';

/** For files whose names carry a hash of their content. */
export const HASHED_CACHE = 'public, max-age=31536000, immutable';

type Encoding = 'identity' | 'br' | 'gzip';

interface StoredFile {
  extension: string;
  etag: string;
  /** The plain bytes, and those of `.br` and `.gz` beside the file where the build made them. */
  bytes: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

const PRECOMPRESSED = { '.br': 'br', '.gz': 'gzip' } as const;

const isPrecompressed = (path: string): boolean => extname(path) in PRECOMPRESSED;

/**
 * The files of a directory as they were when it was read, kept in memory: a build that runs beside the server, as
 * in a deploy, must not change or truncate what the running one serves.
 */
export class FileSet {
  readonly #files = new Map<string, StoredFile>();

  /** @param directory read whole, with the folders in it; nothing is served when it does not exist */
  constructor(directory: string) {
    let names: string[] = [];
    try {
      names = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    for (const name of names.filter((file) => !isPrecompressed(file))) {
      const identity = prepare(readFileSync(name));
      const bytes: StoredFile['bytes'] = { identity };
      for (const [extension, encoding] of Object.entries(PRECOMPRESSED)) {
        if (names.includes(name + extension)) bytes[encoding] = prepare(readFileSync(name + extension));
      }
      const path = name.slice(directory.length).replaceAll('\\', '/').replace(/^\/+/, '');
      const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 27);
      this.#files.set(path, { extension: extname(name), etag, bytes });
    }
  }

  /** A text file's content; undefined when there is none of that path. */
  text(path: string): string | undefined {
    return this.#files.get(path)?.bytes.identity.toString('utf8');
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Answers with the file, if it has it, in the best encoding that the client takes; 304 when the client has it. */
  send(ctx: Context, path: string): void {
    const file = this.#files.get(path);
    if (!file) return;
    const offered = (['br', 'gzip', 'identity'] as const).filter((encoding) => file.bytes[encoding]);
    // One by one: asked about all, it would follow the order in which browsers happen to name them, gzip first.
    const encoding = offered.find((name) => ctx.acceptsEncodings(name)) ?? 'identity';
    ctx.status = 200;
    ctx.type = file.extension;
    ctx.vary('Accept-Encoding');
    if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
    ctx.body = file.bytes[encoding];
    // Each encoding is a representation of its own (RFC 9110, 8.8.3.3). A full stop, since `-gzip` is what proxies add.
    sendTag(ctx, encoding === 'identity' ? `"${file.etag}"` : `"${file.etag}.${encoding}"`);
    if (ctx.status === 304) ctx.remove('Content-Encoding');
  }
}
