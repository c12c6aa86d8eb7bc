//! Whom a client trusts: the roots of Mozilla, those of the system, and those that it is given.
//!
//! Mozilla's are built in, as they are in Node.js, so that a container without certificates works; the system's are where a company
//! puts its own. A file named by `NODE_EXTRA_CA_CERTS` counts too, since it does for fetch.

use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Reads certificates in PEM, which have to be there and to be roots that can be used.
pub(crate) fn read(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut store = RootCertStore::empty();
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("is not a certificate in PEM: {error}"))?;
        store.add(certificate.clone()).map_err(|error| format!("holds a certificate that is none: {error}"))?;
        found.push(certificate);
    }
    if found.is_empty() { Err("holds no certificate in PEM".to_owned()) } else { Ok(found) }
}

/// What every client trusts, read once for the process.
fn common() -> &'static RootCertStore {
    static COMMON: OnceLock<RootCertStore> = OnceLock::new();
    COMMON.get_or_init(|| {
        let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        // What cannot be read of a system's store is passed over, as every other client does.
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(more) = std::env::var_os("NODE_EXTRA_CA_CERTS").and_then(|path| std::fs::read(path).ok()) {
            store.add_parsable_certificates(CertificateDer::pem_slice_iter(&more).filter_map(Result::ok));
        }
        store
    })
}

/// TLS for a client that trusts these roots, too.
pub(crate) fn config(roots: &[CertificateDer<'static>], has_http2: bool) -> Result<ClientConfig, rustls::Error> {
    let mut store = common().clone();
    store.add_parsable_certificates(roots.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(store)
        .with_no_client_auth();
    let protocols: &[&[u8]] = if has_http2 { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(config)
}
