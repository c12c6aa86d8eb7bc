//! Compiles the prelude for the engine, which takes it longer than all else that makes it ready. The engine that compiles it here
//! is the one that reads it there: of the same version, by the same lockfile.

use std::error::Error;
use std::ffi::CString;
use std::path::Path;
use std::{env, fs};

use rquickjs::{Context, Runtime, qjs};

/// One function, in parts by what they are about.
const PARTS: [&str; 8] = ["kept", "show", "tools", "console", "text", "addresses", "clone", "run"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("src/engine/prelude");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut source = String::new();
    for part in PARTS {
        source.push_str(&fs::read_to_string(folder.join(part).with_extension("js"))?);
    }
    let context = Context::full(&Runtime::new()?)?;
    let compiled = context
        .with(|ctx| compile(ctx.as_raw().as_ptr(), &source).ok_or_else(|| format!("the prelude: {:?}", ctx.catch())))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("prelude"), compiled)?;
    Ok(())
}

fn compile(ctx: *mut qjs::JSContext, source: &str) -> Option<Vec<u8>> {
    let text = CString::new(source).ok()?;
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    // SAFETY: the texts end with a NUL and are held. What is compiled is a value of this context, freed once it is written; the
    // bytes are as many as the engine says, and given back to it when they are copied.
    unsafe {
        let function = qjs::JS_Eval(ctx, text.as_ptr(), source.len() as _, c"prelude".as_ptr(), flags as _);
        if qjs::JS_IsException(function) {
            return None;
        }
        let mut length = 0;
        let bytes = qjs::JS_WriteObject(
            ctx,
            &raw mut length,
            function,
            (qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE | qjs::JS_WRITE_OBJ_STRIP_DEBUG) as _,
        );
        qjs::JS_FreeValue(ctx, function);
        if bytes.is_null() {
            return None;
        }
        let compiled = std::slice::from_raw_parts(bytes, length as usize).to_vec();
        qjs::js_free(ctx, bytes.cast());
        Some(compiled)
    }
}
