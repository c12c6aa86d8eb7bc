/** A tool's result as MCP has it: the content that a model reads, and a JSON object also as what it is. */
import type * as McpSchema from "effect/ai/McpSchema"
import * as Prompt from "effect/ai/Prompt"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isBytes } from "./bytes.ts"
import { asJson } from "./json.ts"

type Block = McpSchema.ContentBlock

export const text = (text: string): Block => ({ type: "text", text })

/** The bytes of a file's base64 text, or of an address that holds them; `undefined` where the text is neither. */
const bytesOf = (data: string): Uint8Array | undefined => {
  const base64 = /^data:[^,]*;base64,/i.exec(data)
  const decoded = Base64.decode(base64 === null ? data : data.slice(base64[0].length))
  return Result.isSuccess(decoded) ? decoded.success : undefined
}

/** What Effect's schema of a result takes. */
const ofThisRealm = (bytes: Uint8Array): Uint8Array => bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)

const fileBlock = (part: Prompt.FilePart): Block => {
  const { data, fileName, mediaType } = part
  const address = data instanceof URL ? data.href : typeof data === "string" && /^https?:\/\//i.test(data) ? data : undefined
  if (address !== undefined && !/^data:/i.test(address)) {
    return { type: "resource_link", uri: address, name: fileName ?? address, mimeType: mediaType }
  }
  const bytes = isBytes(data) ? ofThisRealm(data) : bytesOf(address ?? String(data))
  if (bytes === undefined) return text(Prompt.toolModelOutputToText([part]))
  if (/^image\//i.test(mediaType)) return { type: "image", data: bytes, mimeType: mediaType }
  if (/^audio\//i.test(mediaType)) return { type: "audio", data: bytes, mimeType: mediaType }
  const uri = `attachment:${encodeURIComponent((fileName ?? "file").toWellFormed())}`
  return { type: "resource", resource: { uri, mimeType: mediaType, blob: bytes } }
}

export const blockOf = (part: Prompt.ToolModelOutputPart): Block => part.type === "text" ? text(part.text) : fileBlock(part)

/** The blocks that a revision of the protocol does not have, which are told of in words there. */
const unknownTo: Readonly<Record<string, ReadonlyArray<Block["type"]>>> = {
  "2024-11-05": ["audio", "resource_link"],
  "2025-03-26": ["resource_link"]
}

/** Content as a revision of the protocol has it. */
export const inRevision = (version: string, content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const unknown = Object.hasOwn(unknownTo, version) ? unknownTo[version]! : []
  if (!content.some(({ type }) => unknown.includes(type))) return content
  return content.map((block) => {
    if (!unknown.includes(block.type)) return block
    if (block.type === "resource_link") return text(block.uri)
    return text(`[${"mimeType" in block ? block.mimeType : block.type} omitted]`)
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value)

/** A result as content, with the object that it is; `undefined` where it is no JSON. A tool that gives nothing has no content. */
export const contentOf = (value: unknown): Pick<McpSchema.CallToolResult, "content" | "structuredContent"> | undefined => {
  if (value === undefined) return { content: [] }
  if (typeof value === "string") return { content: [text(value)] }
  const json = asJson(value)
  if (Option.isNone(json)) return undefined
  return { content: [text(JSON.stringify(json.value))], ...isObject(json.value) ? { structuredContent: json.value } : {} }
}

/** What a model reads of a failure: its message where it has one, else all of it. */
export const wordsOf = (failure: unknown): string => {
  if (typeof failure === "string") return failure
  if (isObject(failure) && typeof failure["message"] === "string" && failure["message"] !== "") return failure["message"]
  const json = asJson(failure)
  return Option.isSome(json) ? JSON.stringify(json.value) : "The tool failed."
}
