// What is built for: the one place that knows it. CARGO_BUILD_TARGET, cargo's own, names another machine than this one.
import { spawnSync } from "node:child_process"

const hostOf = (rustc) => /^host: (\S+)$/m.exec(rustc ?? "")?.[1]

/** The target in Rust's words; undefined where there is no Rust. */
export const target = process.env.CARGO_BUILD_TARGET || hostOf(spawnSync("rustc", ["-vV"], { encoding: "utf8" }).stdout)

const systems = { darwin: "darwin", freebsd: "freebsd", linux: "linux", windows: "win32" }
const processors = { aarch64: "arm64", armv7: "arm", i686: "ia32", loongarch64: "loong64", powerpc64le: "ppc64", riscv64gc: "riscv64", x86_64: "x64" }

/** A target in the words that files in native/ are named by, such as linux-x64-gnu. */
export const platformOf = (target) => {
  const [processor, , system, abi] = target.split("-")
  return [systems[system] ?? system, processors[processor] ?? processor, ...abi === undefined ? [] : [abi]].join("-")
}

/** crates/isolate shuts a process in with what Linux has for it, by glibc, and knows the system's calls of these two processors. */
export const hasIsolate = (target) => /^(?:x86_64|aarch64)-unknown-linux-gnu$/.test(target)
