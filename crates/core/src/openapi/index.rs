//! Where a document's paths and components stand in its text: one pass over the top levels, no tree.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::version::Version;
use crate::json::{Kind, Node};

/// The places of a document that reading needs.
#[derive(Debug)]
pub(super) struct Index<'a> {
    paths: Option<IndexMap<Cow<'a, str>, Node<'a>>>,
    components: IndexMap<Cow<'a, str>, IndexMap<Cow<'a, str>, Node<'a>>>,
    servers: Vec<Cow<'a, str>>,
}

impl<'a> Index<'a> {
    pub(super) fn of(root: Node<'a>, version: Version) -> Self {
        let mut paths = None;
        let mut components = None;
        let mut servers = None;
        let mut has_webhooks = false;
        for (key, value) in root.entries() {
            match key.as_ref() {
                "paths" => paths = Some(value),
                "components" => components = Some(value),
                "servers" => servers = Some(value),
                "webhooks" => has_webhooks = true,
                _ => {}
            }
        }
        let may_lack_paths = version > Version::V30 && paths.is_none() && (has_webhooks || components.is_some());
        let paths = match paths {
            Some(paths) if paths.kind() == Kind::Object => {
                Some(paths.entries().filter(|(path, _)| !path.starts_with("x-")).collect())
            }
            _ if may_lack_paths => Some(IndexMap::new()),
            _ => None,
        };
        let sections = components.into_iter().flat_map(Node::entries);
        Self {
            paths,
            components: sections.map(|(section, named)| (section, named.entries().collect())).collect(),
            servers: servers.into_iter().flat_map(Node::items).filter_map(|server| server.get("url")?.as_str()).collect(),
        }
    }

    pub(super) fn paths_missing(&self) -> bool {
        self.paths.is_none()
    }

    /// The path items in the document's order.
    pub(super) fn items(&self) -> impl Iterator<Item = (&str, Node<'a>)> {
        self.paths.iter().flatten().map(|(path, item)| (path.as_ref(), *item))
    }

    pub(super) fn path_item(&self, path: &str) -> Option<Node<'a>> {
        self.paths.as_ref()?.get(path).copied()
    }

    pub(super) fn component(&self, section: &str, name: &str) -> Option<Node<'a>> {
        self.components.get(section)?.get(name).copied()
    }

    pub(super) fn has_schema(&self, name: &str) -> bool {
        self.component("schemas", name).is_some()
    }

    /// The document's server addresses, as they are written.
    pub(super) fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(Cow::as_ref)
    }
}
