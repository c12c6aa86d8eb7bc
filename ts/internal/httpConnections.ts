/**
 * The addon's client, as JavaScript uses it: what happens is brought to the request that it is of. Nothing that the addon calls
 * throws, since that would end the process, which stays alive for as long as something of it is awaited.
 */
import type * as Binding from "../../native/http.cjs"
import { load } from "./addon.ts"
import { Alive } from "./alive.ts"

const native: typeof Binding = load("http.cjs")

/** Why there is no answer, or not all of it, in the addon's words. */
export class Fault extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const closed = () => new Fault("ERR_CLOSED", "the client is closed")
const readAlready = () => new Fault("ERR_BODY_READ", "the body has been read already")

/** Does something that may throw: what whoever listens throws must not cost others what they wait for. */
const attempt = (action: () => void): void => {
  try {
    action()
  } catch (cause) {
    queueMicrotask(() => {
      throw cause
    })
  }
}

/** What of a body is there, and whether that is its end. */
export type Piece = { readonly bytes: ArrayBuffer; readonly isEnd: boolean } | Fault

/** The head of an answer, and its body where that came with it. */
export interface Head {
  readonly status: number
  /** Each name and each value with a line feed behind it. */
  readonly headers: string
  /** Where it is from, when it was redirected. */
  readonly url: string | undefined
  /** Whether its status and method allow for a body. */
  readonly hasBody: boolean
  readonly whole: ArrayBuffer | undefined
  readonly isEnd: boolean
}

/** A request's body: a text, bytes, or so many bytes that are written afterwards, any number where it is negative. */
export type Content = string | Uint8Array | number | undefined

/** What becomes of the body that is written: there is room, none is wanted any more, or all of it is wanted once more. */
const rooms = [false, true, "again"] as const

/** Values of an event, and bits of its third, as the addon documents them. */
const stride = 6
const isEnd = 1 << 16
const hasNoBody = 1 << 17
const hasFailed = 1 << 18

/** One request. It is in its client for as long as something can happen to it. */
export class Exchange {
  readonly connections: Connections
  readonly number: number
  /** Why it is over, when it is. What most answers come to is made only for who asks. */
  private ended: Fault | (() => Fault) | undefined
  /** How many times its body was to be written once more, and whether it is wanted. */
  private round = 0
  private isWanted = true
  private onHead: ((head: Head | Fault) => void) | undefined
  private onBody: ((piece: Piece) => void) | undefined
  private onRoom: ((isWanted: boolean) => void) | undefined
  private room: boolean | undefined
  private onAgain: (() => void) | undefined
  /** Whether the addon was asked for some of the body, and what of it came when nobody waited any more. */
  private isAsked = false
  private left: Piece | undefined
  /** What is to be done when it is over. */
  private readonly whenOver: Array<() => void> = []

  constructor(connections: Connections, number: number) {
    this.connections = connections
    this.number = number
  }

  get isOver(): boolean {
    return this.ended !== undefined
  }

  /** Hears of the head, once. */
  head(listener: (head: Head | Fault) => void): void {
    this.connections.alive.hold()
    this.onHead = listener
  }

  /** Reads what there is of the body, or all there will be; waits where it is not there, and can then be told to wait no more. */
  read(all: boolean, listener: (piece: Piece) => void): () => void {
    const { left } = this
    this.left = undefined
    if (left !== undefined) listener(left)
    else if (this.ended !== undefined) listener(typeof this.ended === "function" ? this.ended() : this.ended)
    else {
      const values = this.isAsked ? null : this.connections.binding.read(this.number, all)
      if (values !== null) listener(this.piece(values, 0))
      else {
        this.isAsked = true
        this.connections.alive.hold()
        this.onBody = listener
      }
    }
    return () => {
      if (this.onBody !== listener) return
      this.onBody = undefined
      this.connections.alive.release()
    }
  }

  /** Has its body written: now, and each time that all of it is wanted once more. What was begun before is to be left then. */
  onWanted(begin: (round: number) => void): void {
    this.onAgain = () => begin(this.round)
    begin(0)
  }

  /** Writes a piece of the request's body: whether more is wanted at once, later, or not at all, or it is more than was said. */
  write(round: number, bytes: Uint8Array): "more" | "later" | "over" | "excess" {
    if (this.isOver) return "over"
    return (["over", "more", "later", "excess"] as const)[this.connections.binding.write(this.number, round, bytes)]!
  }

  /** Waits until there is room in the request's body, or none is wanted; can be told to wait no more. */
  awaitRoom(listener: (isWanted: boolean) => void): () => void {
    if (this.isOver) listener(false)
    else if (this.room !== undefined) {
      const isWanted = this.room
      this.room = undefined
      listener(isWanted)
    } else this.onRoom = listener
    return () => {
      if (this.onRoom === listener) this.onRoom = undefined
    }
  }

  /** Says that the request's body is all there. */
  finish(round: number): void {
    if (!this.isOver) this.connections.binding.finish(this.number, round)
  }

  /** Ends it where its body fails, unless another writing of it has begun, or none is wanted any more. */
  fail(round: number, why: Fault): void {
    if (round === this.round && this.isWanted) this.cancel(why)
  }

  /** Ends it, wherever it is. Whoever waits is told why. */
  cancel(reason?: Fault): void {
    if (this.isOver) return
    const why = reason ?? new Fault("ERR_CANCELLED", "the request was ended")
    this.connections.binding.cancel(this.number)
    this.over(why)
    this.tellHead(why)
    this.tellBody(why)
  }

  onOver(action: () => void): void {
    if (this.isOver) action()
    else this.whenOver.push(action)
  }

  private over(why: Fault | (() => Fault)): void {
    if (this.isOver) return
    this.ended = why
    this.connections.forget(this.number)
    const room = this.onRoom
    this.onRoom = undefined
    room?.(false)
    for (const action of this.whenOver.splice(0)) action()
  }

  private tellHead(head: Head | Fault): void {
    const listener = this.onHead
    if (listener === undefined) return
    this.onHead = undefined
    this.connections.alive.release()
    listener(head)
  }

  private tellBody(piece: Piece): void {
    const listener = this.onBody
    if (listener === undefined) {
      // Whoever asked for it waits no more; it is there for who asks next.
      if (this.isAsked) this.left = piece
      this.isAsked = false
      return
    }
    this.isAsked = false
    this.onBody = undefined
    this.connections.alive.release()
    listener(piece)
  }

  private piece(values: ReadonlyArray<number | string | ArrayBuffer | undefined>, at: number): Piece {
    const bits = values[at + 2] as number
    const fault = (bits & hasFailed) === 0 ? undefined : new Fault(values[at + 4] as string, values[at + 3] as string)
    if ((bits & isEnd) !== 0) this.over(fault ?? readAlready)
    return fault ?? { bytes: values[at + 5] as ArrayBuffer, isEnd: (bits & isEnd) !== 0 }
  }

  /** Hears of an event that is of this request. */
  happens(values: ReadonlyArray<number | string | ArrayBuffer | undefined>, at: number): void {
    const bits = values[at + 2] as number
    switch (values[at]) {
      case 0: {
        if ((bits & isEnd) !== 0) this.over(readAlready)
        return this.tellHead({
          status: bits & 0xffff,
          headers: values[at + 3] as string,
          url: values[at + 4] as string | undefined ?? undefined,
          hasBody: (bits & hasNoBody) === 0,
          whole: values[at + 5] as ArrayBuffer | undefined,
          isEnd: (bits & isEnd) !== 0
        })
      }
      case 1: {
        const fault = new Fault(values[at + 4] as string, values[at + 3] as string)
        this.over(fault)
        return this.tellHead(fault)
      }
      case 2:
        return this.tellBody(this.piece(values, at))
      case 3: {
        const room = rooms[bits]!
        const listener = this.onRoom
        this.isWanted = room !== false
        if (room === "again") {
          this.round++
          this.room = undefined
          this.onRoom = undefined
          this.onAgain?.()
        } else if (listener === undefined) this.room = room
        else {
          this.onRoom = undefined
          listener(room)
        }
      }
    }
  }
}

/** A client of the addon: its requests and its connections. */
export class Connections {
  readonly binding: Binding.HttpConnections
  private readonly exchanges = new Map<number, Exchange>()
  readonly alive: Alive
  private isClosed = false
  /** What is sent within one turn goes to the thread of connections together, which is woken once for it. */
  private isFlushDue = false
  private readonly flush = () => {
    this.isFlushDue = false
    this.binding.flush()
  }

  constructor(options: Binding.HttpOptions) {
    this.binding = native.openHttp(options, () => this.hear())
    this.alive = new Alive()
  }

  private hear(): void {
    const values = this.binding.take()
    for (let at = 0; at < values.length; at += stride) {
      attempt(() => this.exchanges.get(values[at + 1] as number)?.happens(values, at))
    }
  }

  forget(number: number): void {
    this.exchanges.delete(number)
  }

  /** Sends a request. Names and values of headers take turns in their list. */
  send(method: string, url: string, headers: Array<string>, content: Content, isRepeatable: boolean): Exchange | Fault {
    if (this.isClosed) return closed()
    const sent = this.binding.send(
      method,
      url,
      headers,
      typeof content === "string" ? content : undefined,
      typeof content === "object" ? content : undefined,
      typeof content === "number" ? content : undefined,
      isRepeatable
    )
    if (typeof sent !== "number") return new Fault(sent[0], sent[1])
    const exchange = new Exchange(this, sent)
    this.exchanges.set(sent, exchange)
    if (!this.isFlushDue) {
      this.isFlushDue = true
      queueMicrotask(this.flush)
    }
    return exchange
  }

  /** How many requests are not over, as the addon counts them. */
  get open(): number {
    return this.binding.openRequests()
  }

  close(): void {
    this.isClosed = true
    for (const exchange of this.exchanges.values()) attempt(() => exchange.cancel(closed()))
    this.binding.close()
    this.alive.close()
  }
}
