import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLanguage } from '../messages/language.js';
import { InboxAddress } from '../session/inbox-address.js';
import { returnTo } from '../sign-in/return-to.js';
import { PagesForEverybody } from './page.decorators.js';
import { postedFields } from './posted-fields.js';

const A_YEAR_SECONDS = 31_536_000;

/** The switch of languages. */
@PagesForEverybody()
@Controller('inbox/language')
export class LanguageController {
  constructor(private readonly address: InboxAddress) {}

  @Post()
  async choose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const fields = postedFields(request);
    const language = fields.get('language');
    if (isLanguage(language)) {
      const cookie = `holdpoint-language=${language}; Path=${this.address.path()}; Max-Age=${A_YEAR_SECONDS}; HttpOnly; SameSite=Strict`;
      reply.header('Set-Cookie', this.address.isSecure ? `${cookie}; Secure` : cookie);
    }
    const to = fields.get('to') ?? '';
    // Back to the sign-in as well, which is no place to be led to otherwise.
    await reply.redirect(this.address.path(to === '/sign-in' ? to : returnTo(to)), 303);
  }
}
