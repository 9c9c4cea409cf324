//! Blocks of components. What a component's names mean, and who may read those that are not `pub`,
//! is decided by the block it is written in; a block that uses components of others is expanded with
//! the tokens of these (see `part`).

use crate::ast::{Component, File, Stmt, StmtKind};
use crate::component;
use crate::link::{self, Link};
use crate::names;
use syn::{Path, Visibility};

pub type BlockId = usize;

/// See [`Blocks::path_beside`].
const BESIDE: &str = "__beside_";

/// A block.
#[derive(Default)]
pub struct Block {
    /// Where the component is found from the block that is expanded; `None` for that block itself.
    pub path: Option<Path>,
    /// The component that was asked for.
    pub name: String,
    /// What tells blocks from each other.
    pub identity: String,
    pub file: File,
}

/// The block that is expanded, and those it uses.
pub struct Blocks(pub Vec<Block>);

/// A component, wherever it was found.
#[derive(Clone, Copy)]
pub enum Found<'a> {
    /// One of the language's own.
    Builtin,
    Of(BlockId, &'a Component),
    Missing,
}

impl Blocks {
    /// A block that uses no other.
    pub fn alone(file: File) -> Blocks {
        Blocks(vec![Block { file, ..Block::default() }])
    }

    /// Whether components of a block may be used from others.
    pub fn is_public(component: &Component) -> bool {
        !matches!(component.vis, Visibility::Inherited)
    }

    /// The path from the block that is expanded to a component which a block names; `None` for a
    /// component of its own or of the language.
    pub fn place(&self, from: BlockId, path: &Path) -> Option<Path> {
        let block = &self.0[from];
        let alone = path.get_ident();
        if alone.is_some_and(|name| self.own(from, &names::text(name)).is_some()) {
            return None;
        }
        let path = self.used(from, path);
        if alone.is_some() && path.get_ident().is_some() {
            return None;
        }
        match &block.path {
            None => Some(path),
            Some(base) => Some(Link::whole(&path).through(base)),
        }
    }

    /// A path with what a `use` of the block says of its first name.
    pub fn used(&self, block: BlockId, path: &Path) -> Path {
        let named = |used: &&crate::ast::Use| {
            path.leading_colon.is_none()
                && path.segments.first().is_some_and(|first| first.ident == used.name)
        };
        let Some(used) = self.0[block].file.uses.iter().find(named) else { return path.clone() };
        let mut whole = used.path.clone();
        // Arguments of a type stand behind its name.
        if let (Some(last), Some(first)) = (whole.segments.last_mut(), path.segments.first()) {
            last.arguments = first.arguments.clone();
        }
        whole.segments.extend(path.segments.iter().skip(1).cloned());
        whole
    }

    pub fn has_uses(&self, block: BlockId) -> bool {
        !self.0[block].file.uses.is_empty()
    }

    /// A component of the block itself.
    pub fn own(&self, block: BlockId, name: &str) -> Option<&Component> {
        let file = &self.0[block].file;
        file.components.iter().find(|component| names::text(&component.name) == name)
    }

    /// What a block means by the name or path of a component.
    pub fn find(&self, from: BlockId, path: &Path) -> Found<'_> {
        if let Some((id, component)) = self.beside(path) {
            return Found::Of(id, component);
        }
        let Some(place) = self.place(from, path) else {
            let name = path.segments.first().map_or(String::new(), |s| names::text(&s.ident));
            return match self.own(from, &name) {
                Some(component) => Found::Of(from, component),
                None if component::names().any(|known| known == name) => Found::Builtin,
                None => Found::Missing,
            };
        };
        let text = link::text(&place);
        let found = self
            .0
            .iter()
            .position(|block| block.path.as_ref().is_some_and(|path| link::text(path) == text));
        let component = found.and_then(|id| Some((id, self.own(id, &self.0[id].name)?)));
        component.map_or(Found::Missing, |(id, component)| Found::Of(id, component))
    }

    /// A path by which a component is found that another block names without one.
    pub fn path_beside(&self, block: BlockId, path: &Path) -> Path {
        let Some(base) = &self.0[block].path else { return path.clone() };
        let mut place = base.clone();
        for segment in &path.segments {
            let text = format!("{BESIDE}{}", names::text(&segment.ident));
            place.segments.push(names::ident(&text, segment.ident.span()).into());
        }
        place
    }

    fn beside(&self, path: &Path) -> Option<(BlockId, &Component)> {
        let mut base = path.clone();
        let last = base.segments.pop()?.into_value();
        base.segments.pop_punct();
        let name = names::text(&last.ident);
        let (name, text) = (name.strip_prefix(BESIDE)?, link::text(&base));
        let here = |block: &Block| block.path.as_ref().is_some_and(|p| link::text(p) == text);
        let id = self.0.iter().position(here)?;
        Some((id, self.own(id, name)?))
    }

    /// Components of other blocks that a block names.
    pub fn named(&self, block: BlockId) -> Vec<Path> {
        let file = &self.0[block].file;
        let mut found = Vec::new();
        for mechanism in &file.mechanisms {
            named_by(&mechanism.body, &mut found);
        }
        for component in &file.components {
            named_by(&component.body, &mut found);
        }
        found
    }

    /// Components of other blocks, and of its own, that a component names.
    pub fn named_in(component: &Component) -> Vec<Path> {
        let mut found = Vec::new();
        named_by(&component.body, &mut found);
        found
    }

    /// Those that are still to be asked for.
    pub fn wanted(&self) -> Vec<Path> {
        let mut wanted: Vec<Path> = Vec::new();
        for id in 0..self.0.len() {
            for path in self.named(id) {
                let Some(place) = self.place(id, &path) else { continue };
                let text = link::text(&place);
                let known = self.0.iter().filter_map(|block| block.path.as_ref());
                if !known.chain(&wanted).any(|path| link::text(path) == text) {
                    wanted.push(place);
                }
            }
        }
        wanted
    }
}

fn named_by(body: &[Stmt], found: &mut Vec<Path>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Body(body) => found.push(body.component.clone()),
            StmtKind::Connector { component, .. } => found.push(component.clone()),
            StmtKind::For(inner) => named_by(&inner.body, found),
            StmtKind::Component(component) => named_by(&component.body, found),
            _ => {}
        }
    }
}
