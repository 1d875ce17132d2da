import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';

const CONTROLLERS = join(__dirname, '..', '..', 'src');

/** Every route that a controller declares, such as `GET /api/v1/runs/{id}`: all files of controllers are looked into. */
export function declaredRoutes(): string[] {
  const files = readdirSync(CONTROLLERS, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.controller\.tsx?$/.test(file))
    .flatMap((file) => Object.values(require(join(CONTROLLERS, file)) as Record<string, unknown>))
    .filter(isController)
    .flatMap(routesOf)
    .sort();
}

type Controller = new (...parts: never[]) => object;

function isController(exported: unknown): exported is Controller {
  return typeof exported === 'function' && Reflect.hasMetadata(PATH_METADATA, exported);
}

function routesOf(controller: Controller): string[] {
  const base = String(Reflect.getMetadata(PATH_METADATA, controller));
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler: object = Object.getOwnPropertyDescriptor(controller.prototype, name)?.value;
    const method: RequestMethod | undefined = Reflect.getMetadata(METHOD_METADATA, handler);
    if (method === undefined) return [];
    const parts = [base, String(Reflect.getMetadata(PATH_METADATA, handler))].join('/').split('/').filter(Boolean);
    return [`${RequestMethod[method]} /${parts.join('/').replaceAll(/:(\w+)/g, '{$1}')}`];
  });
}
