import { DeleteConfiguration } from '../../src/commands/governance/delete-configuration.command.js';
import { DeleteSource } from '../../src/commands/governance/delete-source.command.js';
import { PutConfiguration } from '../../src/commands/governance/put-configuration.command.js';
import { PutEnforcement } from '../../src/commands/governance/put-enforcement.command.js';
import { PutSource } from '../../src/commands/governance/put-source.command.js';
import { SwitchTool } from '../../src/commands/governance/switch-tool.command.js';
import { SwitchToolHandler } from '../../src/commands/governance/switch-tool.handler.js';
import type { Enforcement } from '../../src/governance/ceiling.js';
import type { ConfigurationDocument } from '../../src/governance/configuration-document.js';
import type { SourceDocument } from '../../src/governance/decisions/put-source.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { sourceRef } from '../../src/governance/source-record.js';
import { aConfiguration, ROOT } from './governance-samples.js';
import type { RunDesk } from './run-desk.js';

/** Stands in the text of every source, and so must be found nowhere else. */
export const MARKER = 'MARKER-of-source-text-9c1e';

/** What operators do to the records on which a run depends, by short names. */
export class Operator {
  constructor(private readonly desk: RunDesk) {}

  async source(name: string, document: Partial<SourceDocument> = {}): Promise<void> {
    const whole = {
      name: `${name} ${MARKER}`,
      content: `${name} says ${MARKER}`,
      dataClass: null,
      active: true,
      ...document,
    };
    await this.desk.governance.execute(new PutSource(ROOT, refOf(name), whole, NO_PRECONDITION, 'c'));
  }

  async forget(name: string): Promise<void> {
    await this.desk.governance.execute(new DeleteSource(ROOT, refOf(name), NO_PRECONDITION, 'c'));
  }

  async configuration(document: Partial<ConfigurationDocument>): Promise<void> {
    await this.desk.governance.execute(
      new PutConfiguration(ROOT, 'conf', aConfiguration(document), NO_PRECONDITION, 'c'),
    );
  }

  async deleteConfiguration(): Promise<void> {
    await this.desk.governance.execute(new DeleteConfiguration(ROOT, 'conf', NO_PRECONDITION, 'c'));
  }

  async enforcement(mode: Enforcement): Promise<void> {
    await this.desk.governance.execute(new PutEnforcement(ROOT, mode, NO_PRECONDITION, 'c'));
  }

  async tool(name: string, enabled: boolean): Promise<void> {
    const handler = new SwitchToolHandler(this.desk.governance.streams, this.desk.registry);
    await handler.execute(new SwitchTool(ROOT, name, { enabled, approval: null }, NO_PRECONDITION, 'c'));
  }
}

function refOf(name: string) {
  const ref = sourceRef(name);
  if (ref === null) throw new Error(`${name} is no source's name`);
  return ref;
}
