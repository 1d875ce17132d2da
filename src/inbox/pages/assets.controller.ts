import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../http/problems/problem.js';
import { PagesForEverybody } from './page.decorators.js';

interface Asset {
  /** Below the folder of the pages; several are sent as one, in this order. */
  readonly files: readonly string[];
  readonly type: string;
}

/** The parts of the one style sheet: what comes later wins. */
const STYLE = ['base', 'frame', 'cards', 'values', 'forms', 'lists', 'timeline', 'admin', 'circumstances'];

const MODULES = ['inbox', 'stream', 'page-source', 'form-refresh', 'live', 'moments', 'oversize', 'patch', 'shortcuts'];

/** Everything that a page loads besides itself. */
const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['inbox.css', { files: STYLE.map((part) => `assets/style/${part}.css`), type: 'text/css; charset=utf-8' }],
  ['icon.svg', { files: ['assets/icon.svg'], type: 'image/svg+xml' }],
  ...MODULES.map((name): [string, Asset] => [
    `${name}.js`,
    { files: [`browser/${name}.js`], type: 'text/javascript; charset=utf-8' },
  ]),
]);

const FOLDER = join(import.meta.dirname, '..');

interface Loaded {
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly tag: string;
}

@PagesForEverybody()
@Controller('inbox/assets')
export class AssetsController {
  private readonly loaded = new Map<Asset, Loaded>();

  @Get(':name')
  send(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const asset = ASSETS.get(name);
    if (asset === undefined) throw new Problem('not-found');
    const { bytes, zipped, tag } = this.load(asset);
    // Kept by the browser and asked for again: a page never runs with the style or the module of another version.
    reply.header('Cache-Control', 'no-cache').header('ETag', tag).header('Vary', 'Accept-Encoding');
    if (request.headers['if-none-match'] === tag) {
      reply.status(304).send();
      return;
    }
    const takesZipped = /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
    if (takesZipped) reply.header('Content-Encoding', 'gzip');
    reply.type(asset.type).send(takesZipped ? zipped : bytes);
  }

  private load(asset: Asset): Loaded {
    const known = this.loaded.get(asset);
    if (known !== undefined) return known;
    const bytes = Buffer.concat(asset.files.map((file) => readFileSync(join(FOLDER, file))));
    const tag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const loaded = { bytes, zipped: gzipSync(bytes, { level: 9 }), tag };
    this.loaded.set(asset, loaded);
    return loaded;
  }
}
