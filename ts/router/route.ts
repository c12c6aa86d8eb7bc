/**
 * The procedures of a router: what a procedure takes, who may call it, what is done afterwards, and what it does.
 *
 * A route is built up step by step and never changed: each step gives another one, so that a route with a guard can be begun
 * from by many procedures.
 */
import { inputOf } from "../internal/router/input.ts"
import { type Definition, type Handler, type Plan, procedureOf, routeOf, type Step } from "../internal/router/procedures.ts"

/**
 * A JSON Schema, of draft 4 to 2020-12.
 *
 * @category models
 * @since 0.1.0
 */
export type JSONSchema = { readonly [key: string]: unknown }

/**
 * A schema of a library that keeps to Standard Schema: zod, valibot, arktype, Effect.
 *
 * @category models
 * @since 0.1.0
 */
export interface StandardSchema<Output = any> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/**
 * A Standard Schema of what it makes of an input.
 *
 * @category models
 * @since 0.1.0
 */
export type StandardInput<Output> = StandardSchema<Output>

/**
 * A Standard Schema that says itself as JSON Schema.
 *
 * @category models
 * @since 0.1.0
 */
export interface StandardSchemaWithJSON<Output = any> extends StandardSchema<Output> {
  readonly "~standard": StandardSchema<Output>["~standard"] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> }
  }
}

/**
 * What a Standard Schema makes of an input.
 *
 * @category models
 * @since 0.1.0
 */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"]

/**
 * Hints of a tool, as MCP names them. Clients decide by them what to ask a user about; nothing here rests on them.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolAnnotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/**
 * What `.ai()` takes.
 *
 * @category options
 * @since 0.1.0
 */
export interface AiOptions {
  /** What a model reads of the tool; the text of `.describe()` when not given, and else the tool's name. */
  readonly description?: string | undefined
  /** Whether a person has to approve each call, before which it does not run. */
  readonly confirm?: boolean | undefined
  /** Over the defaults: `readOnlyHint` of a `.get()`, `destructiveHint` of a tool with `confirm`. */
  readonly annotations?: ToolAnnotations | undefined
  /** How many chunks of a stream are collected; 1,000 when not given. */
  readonly maxItems?: number | undefined
  /** For how many milliseconds a stream is collected; 30,000 when not given. */
  readonly timeoutMs?: number | undefined
}

/**
 * Where a call stands that a person has to approve.
 *
 * @category models
 * @since 0.1.0
 */
export interface Approval {
  /** The action's. */
  readonly id: string
  readonly status: "pending" | "approved" | "rejected"
  /** Why it was rejected, where the person said it. */
  readonly reason?: string | undefined
}

/**
 * A call as an after-hook sees it: with the `result` of a handler, or the `error` that ended it, as it was thrown.
 *
 * @category models
 * @since 0.1.0
 */
export interface AfterEvent<Ctx> {
  /** The context after the guards that stand before the hook. */
  readonly ctx: Ctx
  /** The procedure's dotted path. */
  readonly path: string
  /** As the handler gets it. */
  readonly input: unknown
  readonly transport: "tool" | "http"
  /** Of a tool with `confirm`. */
  readonly approval?: Approval | undefined
  readonly result?: unknown
  readonly error?: unknown
}

/**
 * What a guard made of the context: what it returned, or the context as it was where it returned nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type NextCtx<Ctx, Returned> = [Exclude<Awaited<Returned>, void>] extends [never] ? Ctx
  : undefined extends Awaited<Returned> ? Exclude<Awaited<Returned>, void> | Ctx
  : Awaited<Returned>

/**
 * A procedure that has no handler yet. `Input` is undefined until `.input()` says what the procedure takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Route<Ctx, Input> {
  /** Serves reading: the tool has `readOnlyHint` unless it says otherwise. The path is for whoever reads the route. */
  get(path?: string): Route<Ctx, Input>
  /** Serves writing, or reading of more than a path can say. */
  post(path?: string): Route<Ctx, Input>
  /**
   * What the procedure takes: a Standard Schema, which its library checks; or a JSON Schema of an object, checked by the
   * engine of this package, which checks neither `pattern`, `patternProperties` nor `format`. A model is shown the JSON
   * Schema that the second argument gives, or a Standard Schema gives of itself; where neither does, only that it is an object.
   */
  input<Schema extends StandardSchemaWithJSON>(schema: Schema, jsonSchema?: JSONSchema): Route<Ctx, OutputOf<Schema>>
  input<Schema extends StandardSchema>(schema: Schema, jsonSchema?: JSONSchema): Route<Ctx, OutputOf<Schema>>
  input<A>(schema: StandardInput<A>, jsonSchema?: JSONSchema): Route<Ctx, A>
  input(schema: JSONSchema): Route<Ctx, Record<string, unknown>>
  /** What the procedure is for, in words. */
  describe(text: string): Route<Ctx, Input>
  /** Lets a model call the procedure. Said more than once, the options add up, and a later one wins. */
  ai(options?: AiOptions): Route<Ctx, Input>
  /**
   * Adds a guard, which runs before the handler, after the input was checked: it throws to refuse the call, and may return
   * the context for whatever stands after it.
   */
  use<Returned>(
    guard: (event: { readonly ctx: Ctx; readonly input: Input extends undefined ? unknown : Input; readonly path: string }) => Returned
  ): Route<NextCtx<Ctx, Returned>, Input>
  /**
   * Adds a hook, which sees each call that the guards before it let through, when it is over. What the hook throws is logged
   * and changes nothing.
   */
  after(hook: (event: AfterEvent<Ctx>) => void | Promise<void>): Route<Ctx, Input>
  /** The handler gives chunks. As a tool their whole is answered: a text of texts, else a list. */
  stream(): StreamRoute<Ctx, Input>
  /** What the host wants to know of the procedure, which `inspectRouter` shows. */
  meta(meta: Record<string, unknown>): Route<Ctx, Input>
  /** What the procedure does. */
  handler<Out>(run: (event: { readonly ctx: Ctx; readonly input: Input }) => Out | Promise<Out>): Procedure<Ctx, Input, Out>
}

/**
 * A procedure with a stream of chunks that has no handler yet.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamRoute<Ctx, Input> {
  /** What the procedure does. The signal is aborted when nobody waits for more. */
  handler<Chunk>(
    run: (event: { readonly ctx: Ctx; readonly input: Input; readonly signal: AbortSignal }) =>
      | AsyncIterable<Chunk>
      | Promise<AsyncIterable<Chunk>>
  ): Procedure<Ctx, Input, Chunk>
}

/**
 * A procedure, to be put in a router. It can be called only through one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Procedure<Ctx, Input, Out> {
  /** Types alone: there is nothing here when a program runs. */
  readonly "~types"?: { readonly ctx: Ctx; readonly input: Input; readonly out: Out } | undefined
}

/**
 * A router: procedures by name, and routers in routers. A procedure's name is its dotted path, `notes.create`.
 *
 * @category models
 * @since 0.1.0
 */
export interface RouterRecord {
  [key: string]: Procedure<any, any, any> | RouterRecord
}

/** The longest that a timer of JavaScript can wait, in milliseconds. */
const maxTimeout = 2 ** 31 - 1

/** What is given; what is undefined is as if it were not there. */
const present = <Options extends object>(options: Options | undefined): Partial<Options> =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<Options>

const checked = (options: AiOptions): AiOptions => {
  const { confirm, maxItems, timeoutMs } = options
  if (confirm !== undefined && typeof confirm !== "boolean") throw new TypeError(`confirm of .ai() has to be true or false, not ${String(confirm)}`)
  if (maxItems !== undefined && !(Number.isInteger(maxItems) && maxItems >= 1)) {
    throw new RangeError(`maxItems of .ai() has to be a whole number of at least 1, not ${String(maxItems)}`)
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new RangeError(`timeoutMs of .ai() has to be above 0, not ${String(timeoutMs)}`)
  return { ...present(options), ...timeoutMs === undefined ? {} : { timeoutMs: Math.min(timeoutMs, maxTimeout) } }
}

const aiOf = (before: AiOptions | undefined, options: AiOptions): AiOptions => ({
  ...before,
  ...checked(options),
  annotations: { ...before?.annotations, ...present(options.annotations) }
})

const planned = (plan: Plan): Route<any, any> => {
  const plus = (more: Partial<Plan>) => planned({ ...plan, ...more })
  const step = (step: Step) => plus({ steps: [...plan.steps, step] })
  const finish = (kind: Handler["kind"], run: Handler["run"]): Procedure<any, any, any> => {
    if (typeof run !== "function") throw new TypeError(`.handler() takes a function, not ${run === null ? "null" : typeof run}`)
    return procedureOf({ ...plan, handler: { kind, run } } as Definition)
  }
  return routeOf(plan, {
    get: () => plus({ method: "GET" }),
    post: () => plus({ method: "POST" }),
    input: (schema: unknown, jsonSchema?: JSONSchema) => plus({ input: inputOf(schema, jsonSchema) }),
    describe: (text) => plus({ text }),
    ai: (options = {}) => plus({ ai: aiOf(plan.ai, options) }),
    use: (run) => step({ kind: "guard", run }),
    after: (run) => step({ kind: "hook", run }),
    stream: () => routeOf(plan, { handler: (run) => finish("stream", run) } satisfies StreamRoute<any, any>),
    meta: (meta) => plus({ meta: { ...plan.meta, ...meta } }),
    handler: (run) => finish("unary", run)
  } satisfies Route<any, any>)
}

/**
 * The route that all procedures begin with.
 *
 * @example
 * ```ts
 * import { createToolExecutor, route } from "toolkit-native/router"
 *
 * const router = {
 *   notes: {
 *     create: route
 *       .input({ type: "object", properties: { title: { type: "string" } }, required: ["title"] })
 *       .ai({ description: "Create a note" })
 *       .handler(({ ctx, input }) => `${input["title"]}, by ${ctx.user}`)
 *   }
 * }
 * const execute = createToolExecutor(router, { user: "Ada" })
 * execute("notes.create", { title: "Hi" }).then(console.log) // "Hi, by Ada"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const route: Route<any, undefined> = planned({
  method: undefined,
  input: undefined,
  text: undefined,
  ai: undefined,
  steps: [],
  meta: {}
})
