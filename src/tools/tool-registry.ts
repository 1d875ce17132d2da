import { isUsableInputSchema, isUsableParameters } from '../run/input-schema.js';
import { declaredKeys } from '../run/overlay.js';
import { DATA_CLASSES, isApprovalBound, type RegisteredTool, type ToolDeclaration } from './tool.js';

/** A tool that cannot be offered as it is declared; the start ends with it, naming tool and fault. */
export class ToolRejected extends Error {
  override readonly name = 'ToolRejected';
  constructor(toolName: string, fault: string) {
    super(`tool "${toolName}" cannot be registered: ${fault}`);
  }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const EFFECTS = ['read_only', 'idempotent_write', 'non_idempotent_write'];
const LONGEST_DESCRIPTION = 4_096;

/** Every tool of this service, checked once when it is registered. */
export class ToolRegistry {
  private readonly tools = new Map<string, RegisteredTool>();

  /** @throws {ToolRejected} */
  register(tool: RegisteredTool): void {
    const { declaration } = tool;
    checkDeclaration(declaration);
    if (this.tools.has(declaration.name)) throw new ToolRejected(declaration.name, 'another tool has this name');
    this.tools.set(declaration.name, tool);
  }

  find(name: string): RegisteredTool | undefined {
    return this.tools.get(name);
  }

  has(name: string): boolean {
    return this.tools.has(name);
  }

  /** In the order of registration. */
  declarations(): ToolDeclaration[] {
    return [...this.tools.values()].map((tool) => tool.declaration);
  }
}

function checkDeclaration(tool: ToolDeclaration): void {
  const reject = (fault: string): never => {
    throw new ToolRejected(String(tool.name), fault);
  };
  if (typeof tool.name !== 'string' || !NAME.test(tool.name)) reject('its name must match [A-Za-z0-9_-]{1,64}');
  if (typeof tool.description !== 'string' || tool.description.trim() === '') reject('it has no description');
  if (tool.description.length > LONGEST_DESCRIPTION)
    reject(`its description is over ${LONGEST_DESCRIPTION} characters`);
  if (!EFFECTS.includes(tool.effect)) reject(`its effect must be one of ${EFFECTS.join(', ')}`);
  for (const flag of ['approval', 'remote', 'adminOnly'] as const) {
    if (tool[flag] !== undefined && typeof tool[flag] !== 'boolean') reject(`its ${flag} must be true or false`);
  }
  if (tool.dataClass !== undefined && !DATA_CLASSES.includes(tool.dataClass)) {
    reject(`its data class must be one of ${DATA_CLASSES.join(', ')}`);
  }
  const parameters = isUsableParameters(tool.parameters);
  if (!parameters.usable) reject(`its parameters are unusable at ${place(parameters.fault)}`);
  if (tool.inputSchema !== undefined) checkInputSchema(tool, tool.inputSchema, reject);
}

function checkInputSchema(
  tool: ToolDeclaration,
  inputSchema: NonNullable<ToolDeclaration['inputSchema']>,
  reject: (fault: string) => never,
): void {
  // Approval carries no input: the mandatory data would silently be dropped (INP-7).
  if (isApprovalBound(tool, null)) {
    reject(`${whyApprovalBound(tool)}, so it cannot have an input schema`);
  }
  const usable = isUsableInputSchema(inputSchema);
  if (!usable.usable) reject(`its input schema is unusable at ${place(usable.fault)}`);
  if (tool.parameters.additionalProperties !== false) return;
  const accepted = declaredKeys(tool.parameters);
  const missing = [...declaredKeys(inputSchema)].find((key) => !accepted.has(key));
  if (missing !== undefined) {
    reject(
      `its parameters allow no additional properties and do not declare "${missing}", which its input schema asks for`,
    );
  }
}

function whyApprovalBound({ approval, remote, effect }: ToolDeclaration): string {
  if (approval === true) return 'it asks for approval';
  return remote === true ? 'being remote makes it approval-bound' : `its effect ${effect} makes it approval-bound`;
}

function place(fault: { readonly keyword: string; readonly pointer: string; readonly message: string }): string {
  return `${fault.pointer === '' ? 'the root' : fault.pointer} (${fault.keyword}): ${fault.message}`;
}
