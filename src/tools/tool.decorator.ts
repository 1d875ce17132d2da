import { Injectable } from '@nestjs/common';
import type { ToolDeclaration, ToolImplementation } from './tool.js';

const DECLARATION = Symbol('holdpoint:tool');

/** Makes a Nest provider a tool. List the class among the providers of a module and the registry finds it. */
export function Tool(declaration: ToolDeclaration) {
  return (target: new (...dependencies: never[]) => ToolImplementation): void => {
    Injectable()(target);
    Reflect.defineMetadata(DECLARATION, declaration, target);
  };
}

/** The declaration on a class, if it is a tool. */
export function toolDeclarationOf(target: object): ToolDeclaration | undefined {
  return Reflect.getMetadata(DECLARATION, target) as ToolDeclaration | undefined;
}
