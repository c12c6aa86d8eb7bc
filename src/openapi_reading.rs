//! Reading a document on another thread, while JavaScript puts together what has been read.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use napi::bindgen_prelude::{AsyncTask, Either};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;
use toolkit_core::openapi::{self, Catalog, Rows};

use crate::copied::Copied;
use crate::openapi_catalog::{OpenApiCatalog, OpenApiRows, reading_of, text_of};
use crate::outcome::Refusal;

/// A reading on another thread, which can be told to stop.
#[napi]
pub struct OpenApiReading {
    stopped: Arc<AtomicBool>,
    rows: Arc<Mutex<VecDeque<Rows>>>,
}

#[napi]
impl OpenApiReading {
    /// One that has not begun.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self { stopped: Arc::default(), rows: Arc::default() }
    }

    /// Reads a document's text.
    #[napi(catch_unwind, ts_return_type = "Promise<OpenApiCatalog | Refusal>")]
    pub fn text(&self, text: String, extended: bool) -> AsyncTask<Reading> {
        self.begin(Copied::Listed(text.into_bytes()), extended)
    }

    /// Reads a document's bytes, which are UTF-8: a copy of them, since JavaScript may write to its own meanwhile.
    #[napi(catch_unwind, ts_return_type = "Promise<OpenApiCatalog | Refusal>")]
    pub fn bytes(&self, bytes: &[u8], extended: bool) -> AsyncTask<Reading> {
        self.begin(Copied::of(bytes), extended)
    }

    /// The next rows that have been read, which are let go; null when there are no more for now.
    #[napi(catch_unwind)]
    pub fn next_rows(&self) -> Option<OpenApiRows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).pop_front().map(OpenApiRows::of)
    }

    /// Lets nothing come of it any more: what is given is then an error that nobody is to see.
    #[napi(catch_unwind)]
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn begin(&self, bytes: Copied, extended: bool) -> AsyncTask<Reading> {
        let (stopped, rows, running) = (Arc::clone(&self.stopped), Arc::clone(&self.rows), Counted::one());
        AsyncTask::new(Reading { document: Some((bytes, running)), extended, stopped, rows })
    }
}

/// How many readings are not over, and how many were stopped before they were: what a test counts.
#[napi(object, object_from_js = false)]
pub struct OpenApiReadings {
    /// Those that hold a document.
    pub running: u32,
    /// Of all that there have been.
    pub stopped: u32,
}

/// The readings of the process.
#[napi(catch_unwind)]
pub fn open_api_readings() -> OpenApiReadings {
    OpenApiReadings { running: RUNNING.load(Ordering::SeqCst), stopped: STOPPED.load(Ordering::SeqCst) }
}

static RUNNING: AtomicU32 = AtomicU32::new(0);
static STOPPED: AtomicU32 = AtomicU32::new(0);

/// Counts one reading for as long as it is there.
struct Counted;

impl Counted {
    fn one() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The work of a reading. Its document is let go with the end of the work, before JavaScript hears of it.
pub struct Reading {
    document: Option<(Copied, Counted)>,
    extended: bool,
    stopped: Arc<AtomicBool>,
    rows: Arc<Mutex<VecDeque<Rows>>>,
}

impl Reading {
    fn read(&self, bytes: &[u8]) -> Either<Catalog, Refusal> {
        let stops = || self.stopped.load(Ordering::Relaxed);
        let text = match text_of(bytes) {
            Ok(text) => text,
            Err(refusal) => return Either::B(refusal),
        };
        if !stops() {
            let mut take = |rows| self.rows.lock().unwrap_or_else(PoisonError::into_inner).push_back(rows);
            match openapi::read_unless(text, reading_of(self.extended), &stops, &mut take) {
                Ok(Some(catalog)) => return Either::A(catalog),
                Err(error) => return Either::B(Refusal::of(error)),
                Ok(None) => {}
            }
        }
        STOPPED.fetch_add(1, Ordering::SeqCst);
        Either::B(Refusal::of("the reading was stopped"))
    }
}

impl Task for Reading {
    type Output = Either<Catalog, Refusal>;
    type JsValue = Either<OpenApiCatalog, Refusal>;

    /// Runs on a thread of the pool, where a panic would end the process.
    fn compute(&mut self) -> Result<Self::Output> {
        let Some((bytes, _running)) = self.document.take() else {
            return Err(Error::from_reason("the document was read already"));
        };
        catch_unwind(AssertUnwindSafe(|| self.read(&bytes)))
            .map_err(|_| Error::from_reason("the document could not be read, by a defect of the reader"))
    }

    fn resolve(&mut self, env: Env, read: Self::Output) -> Result<Self::JsValue> {
        Ok(match read {
            Either::A(catalog) => Either::A(OpenApiCatalog::held(env, catalog)?),
            Either::B(refusal) => Either::B(refusal),
        })
    }
}
