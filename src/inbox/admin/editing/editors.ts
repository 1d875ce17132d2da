import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Sources } from '../../../governance/sources.js';
import { Problem } from '../../../http/problems/problem.js';
import { ConfigurationEditor } from './configuration-editor.js';
import type { Editor } from './editor.js';
import { PrincipalEditor } from './principal-editor.js';
import { SourceEditor } from './source-editor.js';
import { ToolEditor } from './tool-editor.js';

/** All that can be edited, by the section it is in. */
@Injectable()
export class Editors {
  private readonly editors: readonly Editor[];

  constructor(
    configurations: ConfigurationEditor,
    principals: PrincipalEditor,
    tools: ToolEditor,
    commands: CommandBus,
    sources: Sources,
  ) {
    const ofSources = (['snippet', 'skill'] as const).map((kind) => new SourceEditor(kind, commands, sources));
    this.editors = [configurations, ...ofSources, principals, tools];
  }

  /** @throws {Problem} `not-found` where nothing is edited in a section of that name */
  of(section: string): Editor {
    const editor = this.editors.find((one) => one.section === section);
    if (editor === undefined) throw new Problem('not-found');
    return editor;
  }
}
