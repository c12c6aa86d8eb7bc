//! A large JSON value on its way to JavaScript, in pieces that are parsed one by one.

use napi_derive::napi;
use toolkit_core::Piece;

/// A piece of a large value: what is opened is where the next pieces go until it is closed.
#[napi(object, object_from_js = false)]
pub struct JsonPiece {
    #[napi(ts_type = "'list' | 'object' | 'string' | 'items' | 'members' | 'part' | 'close'")]
    pub kind: &'static str,
    /// JSON text: of a list with the items, of an object with the members, of a part of the string, of the key of what is
    /// opened in an object.
    pub text: Option<String>,
}

impl JsonPiece {
    pub(crate) fn of(piece: Piece) -> Self {
        let (kind, text) = match piece {
            Piece::OpenList(key) => ("list", key),
            Piece::OpenObject(key) => ("object", key),
            Piece::Items(text) => ("items", Some(text)),
            Piece::Members(text) => ("members", Some(text)),
            Piece::OpenString(key) => ("string", key),
            Piece::Part(text) => ("part", Some(text)),
            Piece::Close => ("close", None),
        };
        Self { kind, text }
    }
}
