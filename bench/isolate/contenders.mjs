// What runs code, each the same way: `open()` gives a `run(code, tools)` that makes all anew for the run, as code of a model needs.
import { createRequire } from "node:module"
import vm from "node:vm"
import { Worker } from "node:worker_threads"

const require = createRequire(import.meta.url)

const ours = (mode) => async () => {
  const { Effect, Exit, Scope } = await import("effect")
  const Isolate = await import("../../dist/isolate.js")
  const scope = Effect.runSync(Scope.make())
  const runtime = await Effect.runPromise(Effect.provideService(Isolate.make({ mode, cpu: "1 minute", memory: 256 * 2 ** 20, maxToolCalls: 1000, pool: { warm: 4 } }), Scope.Scope, scope))
  return {
    run: (code, tools) =>
      Effect.runPromise(Effect.map(
        runtime.run({ code, tools: Object.keys(tools), call: (name, input) => Effect.promise(() => tools[name](input)) }),
        ({ result }) => result
      )),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Isolates nothing from code that means to get out, as its documentation says. */
const nodeVm = async () => ({
  run: async (code, tools) => {
    const context = vm.createContext({ tools: Object.fromEntries(Object.keys(tools).map((name) => [name, (input) => tools[name](input)])) })
    return JSON.parse(JSON.stringify(await vm.runInContext(`(async () => {\n${code}\n})()`, context)) ?? "null")
  },
  close: () => {}
})

const workerSource = `
const { parentPort, workerData } = require("node:worker_threads")
const pending = new Map()
let next = 0
parentPort.on("message", ({ id, value }) => { pending.get(id)(value); pending.delete(id) })
const tools = Object.fromEntries(workerData.names.map((name) => [name, (input) => new Promise((resolve) => {
  pending.set(++next, resolve)
  parentPort.postMessage({ call: name, id: next, input })
})]))
const AsyncFunction = (async () => {}).constructor
new AsyncFunction("tools", workerData.code)(tools).then((result) => parentPort.postMessage({ result }))`

/** A thread with a V8 of its own, which reaches all that Node.js has. */
const workers = async () => ({
  run: (code, tools) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(workerSource, { eval: true, workerData: { code, names: Object.keys(tools) } })
      worker.on("error", reject)
      worker.on("message", async (message) => {
        if (message.call !== undefined) return worker.postMessage({ id: message.id, value: await tools[message.call](message.input) })
        await worker.terminate()
        resolve(message.result)
      })
    }),
  close: () => {}
})

const isolatedVm = async () => {
  const ivm = require("isolated-vm")
  return {
    run: async (code, tools) => {
      const isolate = new ivm.Isolate({ memoryLimit: 256 })
      try {
        const context = await isolate.createContext()
        await context.global.set("_call", new ivm.Reference(async (name, input) => JSON.stringify(await tools[name](JSON.parse(input)))))
        const source = `const tools = new Proxy({}, { get: (_, name) => async (input) =>
          JSON.parse(await _call.apply(undefined, [name, JSON.stringify(input ?? null)], { result: { promise: true, copy: true } })) });
          (async () => JSON.stringify((await (async () => {\n${code}\n})()) ?? null))()`
        return JSON.parse(await context.eval(source, { promise: true, copy: true }))
      } finally {
        isolate.dispose()
      }
    },
    close: () => {}
  }
}

const quickjsWasm = async () => {
  const { getQuickJS } = await import("quickjs-emscripten")
  const quickjs = await getQuickJS()
  return {
    run: async (code, tools) => {
      const runtime = quickjs.newRuntime()
      runtime.setMemoryLimit(256 * 2 ** 20)
      const context = runtime.newContext()
      try {
        const call = context.newFunction("_call", (name, input) => {
          const deferred = context.newPromise()
          tools[context.getString(name)](JSON.parse(context.getString(input))).then((answer) => {
            const text = context.newString(JSON.stringify(answer))
            deferred.resolve(text)
            text.dispose()
            runtime.executePendingJobs()
            deferred.dispose()
          })
          return deferred.handle
        })
        context.setProp(context.global, "_call", call)
        call.dispose()
        const evaluated = context.unwrapResult(context.evalCode(
          `const tools = new Proxy({}, { get: (_, name) => async (input) => JSON.parse(await _call(name, JSON.stringify(input ?? null))) });
          (async () => JSON.stringify((await (async () => {\n${code}\n})()) ?? null))()`
        ))
        const settled = context.resolvePromise(evaluated)
        evaluated.dispose()
        runtime.executePendingJobs()
        const result = context.unwrapResult(await settled)
        const text = context.getString(result)
        result.dispose()
        return JSON.parse(text)
      } finally {
        context.dispose()
        runtime.dispose()
      }
    },
    close: () => {}
  }
}

/** By name: what it isolates, and how it is opened. */
export const contenders = {
  "ours, process": ours("process"),
  "ours, thread": ours("thread"),
  "isolated-vm": isolatedVm,
  "quickjs-emscripten": quickjsWasm,
  worker_threads: workers,
  "node:vm": nodeVm
}
