import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../http/problems/problem.js';
import { PagesForEverybody } from './page.decorators.js';

/** Everything that a page loads besides itself. */
const ASSETS: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  'inbox.css': { file: 'assets/inbox.css', type: 'text/css; charset=utf-8' },
  'icon.svg': { file: 'assets/icon.svg', type: 'image/svg+xml' },
  'inbox.js': { file: 'browser/inbox.js', type: 'text/javascript; charset=utf-8' },
  'stream.js': { file: 'browser/stream.js', type: 'text/javascript; charset=utf-8' },
  'page-source.js': { file: 'browser/page-source.js', type: 'text/javascript; charset=utf-8' },
  'form-refresh.js': { file: 'browser/form-refresh.js', type: 'text/javascript; charset=utf-8' },
  'live.js': { file: 'browser/live.js', type: 'text/javascript; charset=utf-8' },
  'moments.js': { file: 'browser/moments.js', type: 'text/javascript; charset=utf-8' },
  'patch.js': { file: 'browser/patch.js', type: 'text/javascript; charset=utf-8' },
  'shortcuts.js': { file: 'browser/shortcuts.js', type: 'text/javascript; charset=utf-8' },
};

const FOLDER = join(import.meta.dirname, '..');

@PagesForEverybody()
@Controller('inbox/assets')
export class AssetsController {
  private readonly loaded = new Map<string, { readonly bytes: Buffer; readonly tag: string }>();

  @Get(':name')
  send(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const asset = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    if (asset === undefined) throw new Problem('not-found');
    const { bytes, tag } = this.load(asset.file);
    // Kept by the browser and asked for again: a page never runs with the style or the module of another version.
    reply.header('Cache-Control', 'no-cache').header('ETag', tag);
    if (request.headers['if-none-match'] === tag) reply.status(304).send();
    else reply.type(asset.type).send(bytes);
  }

  private load(file: string) {
    const known = this.loaded.get(file);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(FOLDER, file));
    const asset = { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
    this.loaded.set(file, asset);
    return asset;
  }
}
