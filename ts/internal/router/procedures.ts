/**
 * What a procedure is made of, and the procedures of a router by their dotted paths.
 *
 * Rule: a router is plain data all through. What is in it and is no procedure is an error that names its place, so that no
 * tool is missing without a word.
 */
import type { AfterEvent, AiOptions, Procedure } from "../../router/route.ts"
import type { Input } from "./input.ts"

/** A guard, or an after-hook, which sees the calls that the guards before it let through. */
export type Step =
  | { readonly kind: "guard"; readonly run: (event: { readonly ctx: any; readonly input: any; readonly path: string }) => unknown }
  | { readonly kind: "hook"; readonly run: (event: AfterEvent<any>) => void | Promise<void> }

export type Handler =
  | { readonly kind: "unary"; readonly run: (event: { readonly ctx: any; readonly input: any }) => unknown }
  | { readonly kind: "stream"; readonly run: (event: { readonly ctx: any; readonly input: any; readonly signal: AbortSignal }) => unknown }

export interface Plan {
  readonly method: "GET" | "POST" | undefined
  readonly input: Input | undefined
  readonly text: string | undefined
  readonly ai: AiOptions | undefined
  /** In the order in which they were added. */
  readonly steps: ReadonlyArray<Step>
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Definition extends Plan {
  readonly handler: Handler
}

/** A procedure that a model can call. */
export interface Tool extends Definition {
  readonly ai: AiOptions
}

/** By the procedure's identity: nothing that a router holds can pass for a procedure. */
const definitions = new WeakMap<object, Definition>()
const plans = new WeakMap<object, Plan>()

export const procedureOf = (definition: Definition): Procedure<any, any, any> => {
  const procedure = Object.freeze(Object.create(null)) as Procedure<any, any, any>
  definitions.set(procedure, definition)
  return procedure
}

/** Marks a route, which is a procedure that has no handler yet. */
export const routeOf = <Route extends object>(plan: Plan, route: Route): Route => {
  plans.set(route, plan)
  return route
}

/** What a route has been told so far; `undefined` for anything else. */
export const planOf = (route: object): Plan | undefined => plans.get(route)

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOf = (value: unknown): string => {
  if (value instanceof Promise) return "a Promise: await it first"
  if (value === null || value === undefined) return String(value)
  return typeof value === "object" ? `a ${value.constructor?.name ?? "object"}` : `a ${typeof value}`
}

/** All procedures of a router, in its order. */
export const proceduresOf = (router: object): ReadonlyMap<string, Definition> => {
  const found = new Map<string, Definition>()
  const open = new Set<object>()
  const walk = (value: unknown, path: string): void => {
    const at = path === "" ? "The router" : `'${path}' in the router`
    const definition = typeof value === "object" && value !== null ? definitions.get(value) : undefined
    if (definition !== undefined && path !== "") {
      if (found.has(path)) throw new Error(`Two procedures of the router are named '${path}'`)
      found.set(path, definition)
      return
    }
    if (typeof value === "object" && value !== null && plans.has(value)) throw new Error(`${at} has no handler: end it with .handler(…)`)
    if (typeof value !== "object" || value === null || definition !== undefined || !isPlain(value)) {
      throw new Error(`${at} has to be a record of procedures${path === "" ? "" : " or a procedure"}, not ${definition === undefined ? nameOf(value) : "a procedure"}`)
    }
    if (open.has(value)) throw new Error(`${at} holds itself`)
    open.add(value)
    for (const key of Object.keys(value)) {
      if (key === "") throw new Error(`${at} has a member without a name`)
      walk((value as Readonly<Record<string, unknown>>)[key], path === "" ? key : `${path}.${key}`)
    }
    open.delete(value)
  }
  walk(router, "")
  return found
}

const isTool = (entry: readonly [string, Definition]): entry is [string, Tool] => entry[1].ai !== undefined

/** The procedures of a router that a model can call. */
export const toolsOf = (router: object): ReadonlyMap<string, Tool> => new Map([...proceduresOf(router)].filter(isTool))
