import { Controller, Get } from '@nestjs/common';
import { Problem } from '../../http/problems/problem.js';
import { PagesForSignedIn } from './page.decorators.js';

/** Whatever is asked for below the pages and is none of them: a person sees a page that says so. */
@PagesForSignedIn()
@Controller('inbox')
export class NowhereController {
  @Get('*')
  show(): never {
    throw new Problem('not-found');
  }
}
