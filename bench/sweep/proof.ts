/** Whether the sweep sees what it looks for: a schema of ours has no fault, and one that is changed anywhere has. */
import type * as Toolkit from "../../ts/index.ts"
import type { Json } from "../lib/compare.ts"
import { operationsOf } from "../lib/operations.ts"
import { judge } from "./judge.ts"

const pet = {
  type: "object",
  required: ["kind", "owner"],
  properties: {
    kind: { type: "string", enum: ["cat", "dog"] },
    tag: { type: "string", pattern: "^[a-z]+$", maxLength: 9, nullable: true },
    age: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 30 },
    owner: { $ref: "#/components/schemas/Owner" },
    friends: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Pet" } },
    home: { oneOf: [{ type: "string", maxLength: 4 }, { $ref: "#/components/schemas/Owner" }] }
  },
  additionalProperties: { type: "boolean" }
}
const document: Json = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  components: { schemas: { Pet: pet, Owner: { type: "object", properties: { email: { type: "string" } }, required: ["email"] } } },
  paths: {
    "/pets/{id}": {
      put: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }, { name: "dry", in: "query", schema: { type: "boolean" } }],
        requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } }
      }
    }
  }
}

type Schema = Record<string, any>

const changes: ReadonlyArray<readonly [what: string, change: (schema: Schema, Pet: Schema) => void]> = [
  ["what the tool requires", (schema) => { schema["required"] = ["id"] }],
  ["further properties", (schema) => { delete schema["additionalProperties"] }],
  ["a parameter's type", (schema) => { schema["properties"].dry = { type: "string" } }],
  ["a property", (_, Pet) => { delete Pet["properties"].home }],
  ["what a schema requires", (_, Pet) => { Pet["required"].pop() }],
  ["an enumeration", (_, Pet) => { Pet["properties"].kind.enum.push("") }],
  ["a pattern", (_, Pet) => { Pet["properties"].tag.pattern = "^[a-z]*$" }],
  ["null", (_, Pet) => { Pet["properties"].tag.type = "string" }],
  ["a bound", (_, Pet) => { Pet["properties"].age.maximum = 20 }],
  ["an exclusive bound", (_, Pet) => { Pet["properties"].age = { type: "integer", minimum: 0, maximum: 30 } }],
  ["an item", (_, Pet) => { Pet["properties"].friends.items = {} }],
  ["a choice", (_, Pet) => { Pet["properties"].home.oneOf.shift() }],
  ["what further properties are", (_, Pet) => { Pet["additionalProperties"] = true }],
  ["a reference", (schema) => { schema["properties"].body = { $ref: "#/components/schemas/Pet" } }],
  ["a definition", (schema) => { delete schema["$defs"].Owner }],
  ["a definition that is not needed", (schema) => { schema["$defs"].Other = { type: "null" } }],
  ["a keyword", (_, Pet) => { Pet["properties"].friends.minItems = "1" }],
  ["a keyword of 3.0", (_, Pet) => { Pet["properties"].kind.nullable = true }]
]

/** What the sweep would not see. */
export const unseen = ({ OpenApi }: typeof Toolkit): ReadonlyArray<string> => {
  const { operations } = OpenApi.readOperations(document)
  const { definition, request } = operations[0]!
  const faultsOf = (schema: Schema) => judge(document, operationsOf(document)[0]!, { parameters: request.parameters, body: request.body }, schema, true).faults
  const whole = faultsOf(structuredClone(definition.inputSchema) as Schema).map((fault) => `a schema of ours: ${fault}`)
  return [
    ...whole,
    ...changes.flatMap(([what, change]) => {
      const schema = structuredClone(definition.inputSchema) as Schema
      change(schema, schema["$defs"].Pet)
      return faultsOf(schema).length > 0 ? [] : [`the sweep would not see a change of ${what}`]
    })
  ]
}
