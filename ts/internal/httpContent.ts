/** What a request's body is on the wire: what fetch takes, as what the addon takes. */
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { isBytes } from "./bytes.ts"
import { Fault } from "./httpConnections.ts"

/** A body that can be sent, and the content type that it has by itself. */
export interface Sent {
  /** A text, bytes, or how many bytes a stream has: any number where that is negative. */
  readonly content: string | Uint8Array | number | undefined
  readonly stream?: Stream.Stream<Uint8Array, unknown>
  /** Whether it can be sent once more, as a redirect may ask for. */
  readonly isRepeatable?: boolean
  readonly type?: string | undefined
}

const escaped = (name: string): string =>
  name.replaceAll(/\r\n|\r|\n/g, "%0D%0A").replaceAll("\"", "%22")

/**
 * A form as one blob, whose files are read when they are sent (HTML Standard, "multipart/form-data encoding algorithm"). The boundary
 * is as random as fetch's.
 */
const multipart = (form: FormData): Blob => {
  const boundary = `----toolkit-native-${crypto.randomUUID()}`
  const parts: Array<string | Blob> = []
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`
    if (typeof value === "string") parts.push(`${head}\r\n\r\n${value.replaceAll(/\r\n|\r|\n/g, "\r\n")}`)
    // Bun gives a blob as one, which has no name.
    else parts.push(`${head}; filename="${escaped((value as Partial<File>).name ?? "blob")}"\r\nContent-Type: ${value.type || "application/octet-stream"}\r\n\r\n`, value)
    parts.push("\r\n")
  }
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` })
}

/** Whether bytes were handed to somebody else, so that none of them are there any more. */
export const isDetached = ({ buffer, byteLength }: ArrayBufferView): boolean => {
  if (byteLength > 0) return false
  try {
    return new Uint8Array(buffer).byteLength < 0
  } catch {
    return true
  }
}

/** A body that is no longer there is a failure; it would be sent as an empty one. */
const bytesOf = (bytes: Uint8Array): Sent => {
  if (isDetached(bytes)) throw new Fault("ERR_BODY", "the bytes that are the body were handed to somebody else")
  return { content: bytes }
}

const ofReadable = (evaluate: () => ReadableStream<Uint8Array>, length: number, type: string | undefined): Sent => ({
  content: length,
  stream: Stream.fromReadableStream({ evaluate, onError: (cause) => cause }),
  type
})

const ofStream = (stream: ReadableStream<Uint8Array>): Sent => {
  try {
    // Nothing else says of a stream that it has been read, which a request that is sent again has done.
    void new Response(stream)
  } catch {
    throw new Fault("ERR_BODY", "the stream that is the body has been read already, or is being read by somebody else")
  }
  return ofReadable(() => stream, -1, undefined)
}

const ofBlob = (blob: Blob): Sent => {
  const type = blob.type || undefined
  if (blob.size === 0) return { content: "", type }
  return { ...ofReadable(() => blob.stream() as ReadableStream<Uint8Array>, blob.size, type), isRepeatable: true }
}

/** What fetch takes as a body. */
const ofRaw = (body: unknown): Sent | undefined => {
  if (body === undefined || body === null) return { content: undefined }
  if (isBytes(body)) return bytesOf(body)
  if (ArrayBuffer.isView(body)) return { content: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) }
  if (body instanceof ArrayBuffer || body instanceof SharedArrayBuffer) return { content: new Uint8Array(body) }
  if (body instanceof URLSearchParams) return { content: String(body), type: "application/x-www-form-urlencoded;charset=UTF-8" }
  if (body instanceof FormData) return ofBlob(multipart(body))
  if (body instanceof Blob) return ofBlob(body)
  if (body instanceof ReadableStream) return ofStream(body as ReadableStream<Uint8Array>)
  if (typeof body === "object" || typeof body === "function" || typeof body === "symbol") return undefined
  return { content: String(body), type: "text/plain;charset=UTF-8" }
}

const isLength = (length: number | undefined): length is number => Number.isSafeInteger(length) && length! > 0

const ofBody = (body: HttpBody.HttpBody): Sent | undefined => {
  switch (body._tag) {
    case "Empty":
      return { content: undefined }
    case "Uint8Array":
      return body.text === undefined ? bytesOf(body.body) : { content: body.text }
    case "FormData":
      return ofBlob(multipart(body.formData))
    case "Stream":
      // One that is said to be empty is seen to be, which a connection that sends no body would not see.
      return { content: isLength(body.contentLength) ? body.contentLength : -1, stream: body.stream }
    case "Raw":
      return ofRaw(body.body)
  }
}

/** A request's body, or why it cannot be sent. */
export const contentOf = (request: HttpClientRequest.HttpClientRequest): Sent | HttpClientError.HttpClientError => {
  try {
    const sent = ofBody(request.body)
    if (sent !== undefined) return sent
    const description = "the body is none that can be sent: give a string, bytes, URLSearchParams, FormData, a Blob or a ReadableStream"
    return new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, description }) })
  } catch (cause) {
    const description = `the body cannot be sent: ${cause instanceof Error ? cause.message : String(cause)}`
    return new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause, description }) })
  }
}
