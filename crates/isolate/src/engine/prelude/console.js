  // console
  let indent = ""
  const line = (start, values) => {
    let text = indent + start
    for (let at = 0; at < values.length; at++) text += (at === 0 ? "" : " ") + shown(values[at])
    host.log(apply(toWellFormed, text.length > limits.log ? apply(slice, text, [0, limits.log + 1]) : text, []))
  }
  const counts = create(null)
  const starts = create(null)
  const label = (given) => given === undefined ? "default" : String(given)
  const console = {
    log: (...values) => line("", values),
    info: (...values) => line("", values),
    debug: (...values) => line("", values),
    warn: (...values) => line("[warn] ", values),
    error: (...values) => line("[error] ", values),
    trace: (...values) => line("[trace] ", values),
    dir: (value) => line("", [value]),
    table: (value) => line("", [value]),
    assert: (condition, ...values) => condition ? undefined : line("[assertion failed] ", values),
    count: (given) => line("", [(label(given) + ": " + (counts[label(given)] = (counts[label(given)] ?? 0) + 1))]),
    group: (...values) => {
      if (values.length > 0) line("", values)
      if (indent.length < 40) indent += "  "
    },
    groupEnd: () => {
      indent = apply(slice, indent, [2])
    },
    time: (given) => {
      starts[label(given)] = Date.now()
    },
    timeEnd: (given) => {
      if (starts[label(given)] !== undefined) line("", [(label(given) + ": " + (Date.now() - starts[label(given)]) + " ms")])
    }
  }

  // Timers
  const timers = create(null)
  let timer = 0
  let waiting = 0
  const setTimeout = (callback, delay, ...args) => {
    if (typeof callback !== "function") throw new TypeError("setTimeout takes a function: code cannot be made from text here")
    if (waiting >= 1000) throw new RangeError("A run may have 1000 timers at once, and this is one more")
    let after = +delay
    if (!(after > 0)) after = 0
    if (after > limits.wall) throw new RangeError("setTimeout of " + after + " ms is more than the " + limits.wall + " ms that a run may take")
    const id = ++timer
    timers[id] = { __proto__: null, callback, args }
    waiting++
    host.timer(id, after)
    return id
  }
  const clearTimeout = (id) => {
    // A place that was kept as text is one as well.
    const at = typeof id === "string" ? +id : id
    if (typeof at !== "number" || timers[at] === undefined) return
    delete timers[at]
    waiting--
    host.clear(at)
  }
  const fire = (id) => {
    const timer = timers[id]
    if (timer === undefined) return
    delete timers[id]
    waiting--
    apply(timer.callback, undefined, timer.args)
  }
