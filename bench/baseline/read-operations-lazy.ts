// @ts-nocheck: written for speed of writing; it is a stand-in and no part of the package.
// The second stand-in: the same rules as read-operations.ts, schemas made on reading, reachability memoised.
const METHODS = ["get","put","post","delete","options","head","patch","trace"] as const
type J = any
const isObj = (v: unknown): v is Record<string, J> => typeof v === "object" && v !== null && !Array.isArray(v)
const ONE = new Set(["items","additionalProperties","not","if","then","else","contains","propertyNames","unevaluatedItems","unevaluatedProperties","contentSchema"])
const MANY = new Set(["allOf","anyOf","oneOf","prefixItems"])
const MAP = new Set(["properties","patternProperties","$defs","definitions","dependentSchemas"])
const unesc = (s: string) => decodeURIComponent(s).replaceAll("~1","/").replaceAll("~0","~")
export type Conv = { schema: J; refs: Set<string> }
export const convert = (v: J, v30: boolean, refs: Set<string>): J => {
  if (!isObj(v)) return v
  if (typeof v.$ref === "string") {
    const m = /^#\/components\/schemas\/([^/]+)$/.exec(v.$ref)
    if (!m) throw new Error(`reference ${v.$ref}`)
    const name = unesc(m[1]!); refs.add(name)
    const out: J = {}
    if (!v30) for (const k of Object.keys(v)) if (k !== "$ref") out[k] = one(k, v[k], v30, refs)
    out.$ref = `#/$defs/${m[1]}`
    return out
  }
  const out: J = {}
  for (const k of Object.keys(v)) {
    if (v30 && (k === "nullable" || k === "example" || k === "xml" || k === "externalDocs" || k === "discriminator" || k === "exclusiveMinimum" || k === "exclusiveMaximum")) continue
    out[k] = one(k, v[k], v30, refs)
  }
  if (v30) {
    if (v.example !== undefined) out.examples = [v.example]
    if (v.exclusiveMinimum === true && typeof v.minimum === "number") { out.exclusiveMinimum = v.minimum; delete out.minimum }
    if (v.exclusiveMaximum === true && typeof v.maximum === "number") { out.exclusiveMaximum = v.maximum; delete out.maximum }
    if (v.nullable === true) {
      if (typeof v.type === "string") { out.type = [v.type, "null"]; if (Array.isArray(v.enum) && !v.enum.includes(null)) out.enum = [...v.enum, null] }
      else { const { description, ...rest } = out; const w: J = { anyOf: [rest, { type: "null" }] }; if (description !== undefined) w.description = description; return w }
    }
  }
  return out
}
const one = (k: string, x: J, v30: boolean, refs: Set<string>): J =>
  ONE.has(k) ? convert(x, v30, refs)
  : MANY.has(k) && Array.isArray(x) ? x.map((y) => convert(y, v30, refs))
  : MAP.has(k) && isObj(x) ? Object.fromEntries(Object.keys(x).map((n) => [n, convert(x[n], v30, refs)]))
  : x
export type Op = { definition: { name: string; description: string; inputSchema: J; annotations: J }, request: J }
export type Mode = "fresh" | "shared" | "count"
export const readOperations = (doc: J, mode: Mode, onOp?: (op: Op, size?: number) => void) => {
  const v30 = String(doc.openapi).startsWith("3.0")
  const comps: Record<string, J> = doc.components?.schemas ?? {}
  const operations: Op[] = []; const skipped: { method: string; path: string; reason: string }[] = []
  const names = new Set<string>()
  const cache = new Map<string, Conv | Error>()
  const conv = (n: string): Conv => {
    if (mode !== "fresh") { const c = cache.get(n); if (c) { if (c instanceof Error) throw c; return c } }
    if (!Object.hasOwn(comps, n)) throw new Error(`reference to missing schema ${n}`)
    try { const refs = new Set<string>(); const r = { schema: convert(comps[n], v30, refs), refs }; if (mode !== "fresh") cache.set(n, r); return r }
    catch (e) { if (mode !== "fresh") cache.set(n, e as Error); throw e }
  }
  // scan: refs of a component without converting; "bad" closure
  const scan = (v: J, refs: Set<string>): void => {
    if (!isObj(v)) return
    if (typeof v.$ref === "string") { const m = /^#\/components\/schemas\/([^/]+)$/.exec(v.$ref); if (!m) throw new Error(`reference ${v.$ref}`); const n = unesc(m[1]!); if (!Object.hasOwn(comps, n)) throw new Error(`reference to missing schema ${n}`); refs.add(n); if (v30) return }
    for (const k of Object.keys(v)) { const x = v[k]
      if (ONE.has(k)) scan(x, refs)
      else if (MANY.has(k)) { if (Array.isArray(x)) for (const y of x) scan(y, refs) }
      else if (MAP.has(k) && isObj(x)) for (const n of Object.keys(x)) scan(x[n], refs) }
  }
  const state = new Map<string, Error | null>()
  const bad = (root: string): Error | null => { // iterative reachability; good closures are marked at once
    const hit = state.get(root); if (hit !== undefined) return hit
    const seen = new Set<string>([root]); const st = [root]; let err: Error | null = null
    while (st.length && !err) { const n = st.pop()!; const h = state.get(n); if (h === null) continue; if (h) { err = h; break }
      try { let r = refsOf.get(n); if (!r) { r = new Set(); scan(comps[n], r); refsOf.set(n, r) } for (const x of r) if (!seen.has(x)) { seen.add(x); st.push(x) } } catch (e) { err = e as Error } }
    if (err) state.set(root, err); else for (const n of seen) state.set(n, null)
    return err
  }
  const refsOf = new Map<string, Set<string>>()
  const resolve = (v: J): J => { // parameters, bodies: local refs to non-schemas are resolved
    for (let i = 0; i < 8 && isObj(v) && typeof v.$ref === "string"; i++) {
      if (!v.$ref.startsWith("#/")) throw new Error(`reference ${v.$ref}`)
      let cur: J = doc; for (const s of v.$ref.slice(2).split("/")) cur = isObj(cur) || Array.isArray(cur) ? (cur as J)[unesc(s)] : undefined
      if (cur === undefined) throw new Error(`reference ${v.$ref}`); v = cur
    }
    return v
  }
  const kindOf = (s: J, depth = 0): string => { // is a parameter schema an object?
    if (!isObj(s)) return "any"
    if (typeof s.$ref === "string") { const m = /^#\/components\/schemas\/([^/]+)$/.exec(s.$ref); return m && depth < 8 ? kindOf(comps[unesc(m[1]!)], depth + 1) : "any" }
    if (s.type === "object" || isObj(s.properties)) return "object"
    return "any"
  }
  for (const path of Object.keys(doc.paths ?? {})) {
    let item: J = doc.paths[path]
    for (const method of METHODS) {
      const op: J = isObj(item) ? item[method] : undefined
      if (!isObj(op)) continue
      try {
        const params = new Map<string, J>()
        for (const raw of [...(item.parameters ?? []), ...(op.parameters ?? [])]) { const p = resolve(raw); params.set(`${p.in}:${p.name}`, p) }
        const later: [string, J][] = [], required: string[] = [], refs = new Set<string>(), places: J[] = []
        const list = [...params.values()]
        const san = (s: string) => s.replace(/[^A-Za-z0-9_-]/g, "_")
        const counts = new Map<string, number>(); for (const p of list) counts.set(san(p.name), (counts.get(san(p.name)) ?? 0) + 1)
        const inPath = new Set((path.match(/\{([^}]+)\}/g) ?? []).map((s) => s.slice(1, -1)))
        for (const p of list) {
          if (p.in === "cookie") { if (p.required) throw new Error(`cookie ${p.name}`); continue }
          if (p.in === "header" && ["accept","content-type","authorization"].includes(String(p.name).toLowerCase())) continue
          if (p.content) throw new Error(`parameter ${p.name} has content`)
          const style = p.style ?? (p.in === "query" ? "form" : "simple")
          if (style !== (p.in === "query" ? "form" : "simple")) throw new Error(`parameter ${p.name} has style ${style}`)
          if (p.explode !== undefined && p.explode !== (style === "form")) { if (p.in === "query") throw new Error(`parameter ${p.name} has explode ${p.explode}`) }
          if (kindOf(p.schema) === "object") throw new Error(`parameter ${p.name} is an object`)
          if (p.in === "path") { if (!inPath.delete(p.name)) throw new Error(`path does not have ${p.name}`) }
          let name = san(p.name); if (name === "body" || counts.get(name)! > 1) name = `${p.in}_${name}`
          scan(p.schema, refs)
          later.push([name, p])
          if (p.required || p.in === "path") required.push(name)
          places.push({ property: name, in: p.in, name: p.name })
        }
        if (inPath.size) throw new Error(`path parameter ${[...inPath][0]} is not declared`)
        let body: string | undefined, bodySchema: J
        if (op.requestBody !== undefined) {
          const rb = resolve(op.requestBody), content: J = rb.content ?? {}
          const key = Object.keys(content).find((m) => /^application\/([^;]+\+)?json\s*(;|$)/i.test(m))
          if (key === undefined) { if (rb.required || Object.keys(content).length) throw new Error(`body is ${Object.keys(content).join(", ")}`) }
          else { body = "body"; bodySchema = content[key].schema ?? {}; scan(bodySchema, refs); if (rb.required) required.push("body") }
        }
        for (const r of refs) { const e = bad(r); if (e) throw e }
        const name = san(op.operationId ?? `${method}_${path}`)
        if (names.has(name)) throw new Error(`name ${name} is another operation's`)
        names.add(name)
        const build = () => { const properties: J = {}; const refs = new Set<string>()
          for (const [name, p] of later) { const s = convert(p.schema ?? {}, v30, refs); properties[name] = p.description !== undefined && isObj(s) && s.description === undefined ? { ...s, description: p.description } : s }
          if (bodySchema !== undefined) properties.body = convert(bodySchema, v30, refs)
          const defs = new Map<string, Conv>(); const queue = [...refs]
          while (queue.length) { const n = queue.pop()!; if (defs.has(n)) continue; const c = conv(n); defs.set(n, c); for (const r of c.refs) if (!defs.has(r)) queue.push(r) }
          const inputSchema: J = { type: "object", properties, required, additionalProperties: false }
          if (defs.size) inputSchema.$defs = Object.fromEntries([...defs].map(([n, c]) => [n, c.schema]))
          return inputSchema }
        const made: Op = { definition: { name, description: op.description ?? op.summary ?? `${method.toUpperCase()} ${path}`, get inputSchema() { const v = build(); Object.defineProperty(this, "inputSchema", { value: v, enumerable: true }); return v },
          annotations: { readOnly: method === "get" || method === "head" || method === "options", destructive: method === "delete", idempotent: method !== "post" && method !== "patch" } },
          request: { method: method.toUpperCase(), path, places, body } }
        if (onOp) onOp(made, 0); else operations.push(made)
      } catch (e) { skipped.push({ method, path, reason: (e as Error).message }) }
    }
  }
  return { operations, skipped, servers: doc.servers ?? [] }
}
