//! The tools of a toolkit, to be searched.

use napi::bindgen_prelude::{Either, Uint32Array};
use napi::{Env, Result};
use napi_derive::napi;
use toolkit_core::search::{self, Ranking};

use crate::outcome::Refusal;

/// An index over tools.
#[napi(custom_finalize)]
pub struct ToolIndex {
    index: search::ToolIndex,
    size: i64,
}

/// What a query finds.
#[napi(object, object_from_js = false)]
pub struct ToolHits {
    /// The best, by their place among the tools.
    pub indices: Uint32Array,
    /// How many match, also where there are more than were asked for.
    pub matched: u32,
}

/// Reads tools: JSON text of `[{ name, description, inputSchema? }]`. With `parameters`, what the schemas say is searched
/// too.
#[napi(catch_unwind)]
pub fn tool_index(
    env: Env,
    tools: String,
    #[napi(ts_arg_type = "'words' | 'rarity' | 'bm25'")] ranking: String,
    parameters: bool,
) -> Result<Either<ToolIndex, Refusal>> {
    let ranking = match ranking.as_str() {
        "rarity" => Ranking::Rarity,
        "bm25" => Ranking::Bm25,
        _ => Ranking::Words,
    };
    match search::ToolIndex::new(&tools, search::Options { ranking, parameters }) {
        Ok(index) => {
            let size = i64::try_from(index.size()).unwrap_or(i64::MAX);
            env.adjust_external_memory(size)?;
            Ok(Either::A(ToolIndex { index, size }))
        }
        Err(error) => Ok(Either::B(Refusal::of(error))),
    }
}

#[napi]
impl ToolIndex {
    /// The best of the tools that match, as many as asked for.
    #[napi(catch_unwind)]
    pub fn search(&mut self, query: String, limit: u32) -> ToolHits {
        let hits = self.index.search(&query, limit as usize);
        ToolHits { indices: hits.tools.into(), matched: hits.matched }
    }
}

impl napi::bindgen_prelude::ObjectFinalize for ToolIndex {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.size)?;
        Ok(())
    }
}
