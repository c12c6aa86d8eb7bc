/**
 * An `HttpClient` of our own, which takes the place of `FetchHttpClient.layer`: requests go over a client in Rust, with fetch's
 * contract. Credentials, retries and tracing stay where they are, in the client above it. It needs an addon of its own, which this
 * subpath alone loads.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Binding from "../native/http.cjs"
import { make } from "./internal/httpClient.ts"
import { Connections } from "./internal/httpConnections.ts"
import { durationOf, wordOf } from "./internal/options.ts"

/**
 * How requests are sent. An option that cannot be one is a defect: `Cause.IllegalArgumentError`.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * Through what requests go: what `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say when the first one is sent
   * (`"environment"`, the default), nothing, or a proxy at an `http:` or `https:` URL, whose name and password it is given.
   * `NO_PROXY` lists domains, which hold for those beneath them, addresses and their ranges (`10.0.0.0/8`), each with a port or for all,
   * or is `*`. Where a variable names what is no such proxy, the requests that would go through it fail.
   */
  readonly proxy?: "environment" | "none" | URL | undefined
  /**
   * Certificates in PEM whose holders are trusted to vouch for servers, one or several in each. They are trusted besides Mozilla's,
   * the system's and those in the file that `NODE_EXTRA_CA_CERTS` names.
   */
  readonly rootCertificates?: ReadonlyArray<string | Uint8Array> | undefined
  /** Whether HTTP/2 is spoken with servers that offer it over TLS, `"negotiate"` when not given, or never. */
  readonly http2?: "negotiate" | "never" | undefined
  /** How many connections to a host are kept open while no request needs them: 32 when not given. Each is closed after 90 seconds. */
  readonly maxIdlePerHost?: number | undefined
  /** How long making a connection may take, TLS included: 10 seconds when not given. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * What is done when a server redirects: it is followed as fetch does, 20 times at most (`"follow"`, the default), it is
   * the answer (`"manual"`, which `HttpClient.followRedirects` needs), or the request fails.
   */
  readonly redirect?: "follow" | "manual" | "error" | undefined
}

/** How long a server may be silent within an answer, as for fetch under Node.js. */
const silence = Duration.toMillis("5 minutes")

const proxyOf = (proxy: "environment" | "none" | URL): string => {
  if (!(proxy instanceof URL)) return wordOf("proxy", ["environment", "none"], proxy)
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:") {
    throw new Cause.IllegalArgumentError(`proxy has to be at an http: or https: URL, not at one of ${proxy.protocol}`)
  }
  return proxy.href
}

const settings = (options: Options): Binding.HttpOptions => {
  const { connectTimeout = "10 seconds", http2 = "negotiate", maxIdlePerHost = 32, proxy = "environment", redirect = "follow" } = options
  if (!Number.isInteger(maxIdlePerHost) || maxIdlePerHost < 0 || maxIdlePerHost > 65_535) {
    throw new Cause.IllegalArgumentError(`maxIdlePerHost has to be a whole number from 0 to 65535, not ${maxIdlePerHost}`)
  }
  return {
    proxy: proxyOf(proxy),
    roots: (options.rootCertificates ?? []).map((pem) => typeof pem === "string" ? new TextEncoder().encode(pem) : pem),
    http2: wordOf("http2", ["negotiate", "never"], http2) === "negotiate",
    idle: maxIdlePerHost,
    // Longer than a year is as good as for ever.
    connecting: Math.min(Math.ceil(Duration.toMillis(durationOf("connectTimeout", connectTimeout, "10 seconds"))), 366 * 24 * 3600 * 1000),
    silence,
    redirect: wordOf("redirect", ["follow", "manual", "error"], redirect)
  }
}

const open = (options: Options): Connections => {
  const given = settings(options)
  try {
    return new Connections(given)
  } catch (cause) {
    throw new Cause.IllegalArgumentError(cause instanceof Error ? cause.message : String(cause))
  }
}

/**
 * Provides an `HttpClient` with options. Its connections are its own, and are closed with the layer's scope.
 *
 * @example
 * ```ts
 * import * as NativeHttp from "toolkit-native/native-http"
 * import { readFileSync } from "node:fs"
 *
 * // A company's own proxy and root.
 * const layer = NativeHttp.layerWith({
 *   proxy: new URL("http://proxy.example.com:3128"),
 *   rootCertificates: [readFileSync("/etc/company/root.pem")]
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = (options: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.acquireRelease(
      Effect.sync(() => open(options)),
      (connections) => Effect.sync(() => connections.close())
    ).pipe(Effect.map((connections) => HttpClient.layerMergedContext(Effect.succeed(make(connections)))))
  )

/**
 * Provides an `HttpClient` that does what `FetchHttpClient.layer`'s does.
 *
 * What fails, fails as it does there: with `TransportError` where there is no answer, with `DecodeError` where its body breaks off. Its
 * `description` says what happened, and its cause has a `code` such as `ECONNREFUSED`. An answer whose body is not read keeps
 * nothing alive, and is let go of with the scope of its request or by the garbage collector.
 *
 * Besides HTTP it does nothing: no `data:` or `blob:` URLs, no cookies, no cache, no upgrades. `FetchHttpClient.Fetch` and
 * `RequestInit` are not read, and there is no `Response` behind an answer for `HttpClientResponse.toWeb` to give. Each time the layer is built it has connections of its own.
 *
 * @example
 * ```ts
 * import * as NativeHttp from "toolkit-native/native-http"
 * import { Effect } from "effect"
 * import { HttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const response = yield* HttpClient.get("https://example.com")
 *   return yield* response.text
 * }).pipe(Effect.provide(NativeHttp.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = layerWith({})
