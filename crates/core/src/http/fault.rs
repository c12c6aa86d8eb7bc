//! What is wrong with a base URL or a template, said to the host that wrote it.
//!
//! The rule: an error names the operation, the key and the mend. A base URL is never repeated, since one that is
//! refused may hold credentials.

/// Why a source's requests cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The base URL cannot be one.
    #[error("baseUrl: {0}")]
    BaseUrl(#[from] BaseUrlFault),
    /// The list of templates cannot be read.
    #[error("operations: {detail}; give a list of operations, each with a name and a request")]
    List {
        /// What the reader found.
        detail: String,
    },
    /// Two operations have one name.
    #[error("operation {operation:?}, name: another operation has it; give each its own")]
    SameName {
        /// The name they share.
        operation: String,
    },
    /// One template is wrong.
    #[error("operation {operation:?}, {key}: {fault}")]
    Template {
        /// The operation's name.
        operation: String,
        /// The key of its template, as `parameters[1].name`.
        key: String,
        /// What is wrong there.
        fault: Fault,
    },
}

/// What is wrong with a base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlFault {
    /// It does not parse as an absolute URL.
    #[error("is no absolute URL; give one such as https://api.example.com/v1")]
    NotAbsolute,
    /// It is of another scheme.
    #[error("is of another scheme than http or https; give one such as https://api.example.com/v1")]
    Scheme,
    /// It holds a user name or a password.
    #[error("holds a user name or password; take it out, and give the credentials to the client")]
    Credentials,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A key is missing, unknown, or holds another type.
    #[error("{0}")]
    Shape(String),
    /// No such method.
    #[error("is no method; give GET, PUT, POST, DELETE, OPTIONS, HEAD, PATCH or QUERY")]
    UnknownMethod,
    /// TRACE, which HTTP clients refuse.
    #[error("TRACE is a method HTTP clients cannot send; give another method or leave the operation out")]
    Trace,
    /// A body with GET or HEAD.
    #[error("fetch cannot send a body with {method}; leave the body out or give another method")]
    BodyOfMethod {
        /// GET or HEAD.
        method: &'static str,
    },
    /// A brace that opens no placeholder or closes none.
    #[error("holds a brace without its partner; write %7B or %7D for a brace that is no placeholder's")]
    Brace,
    /// A placeholder that no path place fills.
    #[error("{{{0}}} has no parameter; add one with \"in\": \"path\" and this name")]
    NoPlace(String),
    /// A placeholder in the query.
    #[error("{{{0}}} stands in the query; add a parameter with \"in\": \"query\" in its place")]
    PlaceholderInQuery(String),
    /// A `.` or `..` segment.
    #[error("holds a segment \".\" or \"..\", which would make it another path; write the path it means")]
    DotSegment,
    /// A path place that fills no placeholder.
    #[error("fills no placeholder; write {{{0}}} in the path or leave the parameter out")]
    NoPlaceholder(String),
    /// A name that is empty.
    #[error("is empty; give the name the API knows the parameter by")]
    EmptyName,
    /// A header name that is no token.
    #[error("is no header name; give letters, digits and - only")]
    HeaderName,
    /// A header that is not the template's to set.
    #[error(
        "is a header that belongs to the client or the connection; leave the parameter out and let the client set it"
    )]
    ClientHeader,
    /// Two places of one kind and name.
    #[error("is the name of another parameter of the same place; leave one out")]
    SamePlace,
    /// The body property is a place as well.
    #[error("is the property of a parameter as well; give the body a property of its own")]
    BodyIsPlace,
    /// A media type that no body is sent as.
    #[error(
        "is no media type that a body is sent as; give one such as application/json, application/x-www-form-urlencoded, \
         multipart/form-data or text/plain"
    )]
    MediaType,
    /// A media type of a place that is not JSON.
    #[error("is no media type of JSON, which is what a place can hold besides plain values; leave it out")]
    PlaceType,
    /// A style that does not go with the place.
    #[error("is no style of this place; give {0}")]
    Style(String),
    /// `allowReserved` outside of a query.
    #[error("goes with the query alone; leave it out")]
    Reserved,
    /// A style beside a media type.
    #[error("stands beside a style, and a value is written in one way; leave one of the two out")]
    StyleAndType,
    /// Base64 where no bytes are sent.
    #[error("is for a body of bytes, and this one is JSON or a form; leave it out, or say it of a field")]
    ContentEncoding,
    /// Fields beside a body that is no form.
    #[error(
        "say how the fields of a form are written, and the body is none; give application/x-www-form-urlencoded or \
         multipart/form-data as the mediaType, or leave them out"
    )]
    FieldsOfNoForm,
    /// A field that says nothing of itself.
    #[error("is a field that is written as any other; leave it out, or say how it is written")]
    FieldOfNothing,
}
