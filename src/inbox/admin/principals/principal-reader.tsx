import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { Principals } from '../../../governance/principals.js';
import { TokenMint } from '../../../governance/token-mint.js';
import { TokenUse } from '../../../governance/token-use.js';
import { Problem } from '../../../http/problems/problem.js';
import { buildForm } from '../../form/form-model.js';
import { Visits } from '../../pages/visits.js';
import type { Done } from '../section.js';
import { PrincipalPage, type TokenForm, tokenFields } from './principal-page.js';

interface Told {
  readonly done?: Done | null;
  readonly notice?: VNode;
  /** In place of an empty one. */
  readonly form?: TokenForm;
}

/** Makes the page about a principal, as the directory has them now. */
@Injectable()
export class PrincipalReader {
  constructor(
    private readonly visits: Visits,
    private readonly principals: Principals,
    private readonly use: TokenUse,
    private readonly mint: TokenMint,
  ) {}

  /** @throws {Problem} `principal-not-found` @throws {StoreUnavailable} */
  async page(request: FastifyRequest, id: string, { done = null, notice, form }: Told = {}): Promise<VNode> {
    const record = await this.principals.read(id);
    if (record === null) throw new Problem('principal-not-found');
    const visit = this.visits.of(request);
    const fresh = { tokenId: this.mint.tokenId(), root: buildForm(tokenFields(visit.t)).root, faults: [] };
    return (
      <PrincipalPage
        visit={visit}
        record={record}
        lastUsed={this.use.lastUsed(id)}
        form={form ?? fresh}
        done={done}
        notice={notice}
      />
    );
  }
}
