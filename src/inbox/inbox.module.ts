import { Module } from '@nestjs/common';
import { FormController } from './form/form.controller.js';

/** The pages where people answer. It needs the buses and, from global modules, what the interface needs. */
@Module({ controllers: [FormController] })
export class InboxModule {}
