//! `draw` statements: a shape, what it is made of, a colour.

use super::expr::{Mode, Tx};
use super::resolver::Resolver;
use super::scope::ScopeId;
use super::statement::entries;
use crate::ast::Color;
use crate::diag::did_you_mean;
use crate::ir::{Kernel, StatementKind};
use crate::{keyword, mesh};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, ExprLit, Lit};

/// What an argument of a shape is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// A point, a frame, or edge lengths: an array of two or three scalars, or what has axes.
    Place,
    /// A length.
    Length,
    /// Points in brackets.
    Points,
    /// A file, in quotation marks.
    File,
}

/// A shape of the language.
struct Form {
    word: &'static str,
    /// Its `mbd::model::Shape`, without the file where it has one, and the function of `mbd::components::draw` that makes its numbers.
    shape: &'static str,
    function: &'static str,
    rows: usize,
    arguments: &'static [Argument],
    example: &'static str,
}

use Argument::{File, Length, Place, Points};

const FORMS: &[Form] = &[
    form("line", "Line", "line", 6, &[Place, Place], "line(from, to)"),
    form("polyline", "Polyline", "trace", 0, &[Points], "polyline([p, q, r])"),
    form("circle", "Circle", "circle", 10, &[Place, Length], "circle(centre, radius)"),
    form("sphere", "Sphere", "circle", 10, &[Place, Length], "sphere(centre, radius)"),
    form("box", "Box", "block", 12, &[Place, Place], "box(frame, [length, width])"),
    form(
        "cylinder",
        "Cylinder",
        "cylinder",
        7,
        &[Place, Place, Length],
        "cylinder(from, to, radius)",
    ),
    form("spring", "Spring", "line", 6, &[Place, Place], "spring(from, to)"),
    form("trace", "Trace", "trace", 3, &[Place], "trace(point)"),
    form("mesh", "Mesh", "circle", 10, &[Place, File, Length], "mesh(frame, \"part.stl\", 0.001)"),
];

const fn form(
    word: &'static str,
    shape: &'static str,
    function: &'static str,
    rows: usize,
    arguments: &'static [Argument],
    example: &'static str,
) -> Form {
    Form { word, shape, function, rows, arguments, example }
}

impl Resolver<'_> {
    /// The shape and its numbers; nothing after an error.
    pub(super) fn draw(
        &mut self,
        word: &Ident,
        arguments: &[Expr],
        color: Option<&Color>,
        scope: ScopeId,
    ) -> Option<StatementKind> {
        let color = color.map_or(String::new(), |color| self.color(color));
        let Some(form) = FORMS.iter().find(|form| word == form.word) else {
            let words = FORMS.iter().map(|form| form.word);
            let hint = match did_you_mean(&word.to_string(), words.clone()) {
                hint if hint.is_empty() => {
                    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
                    format!("; shapes are {}", words.join(", "))
                }
                hint => hint,
            };
            self.diag.error(word.span(), format!("`{word}` is not a shape{hint}"));
            return None;
        };
        if arguments.len() != form.arguments.len() {
            let message = format!(
                "`{word}` is made of {} argument{}, not {}; the form is `{}`",
                form.arguments.len(),
                if form.arguments.len() == 1 { "" } else { "s" },
                arguments.len(),
                form.example
            );
            self.diag.error(word.span(), message);
            return None;
        }
        let name = format_ident!("{}", form.shape);
        let mut shape = quote!(__mbd::Shape::#name);
        if let Some(k) = form.arguments.iter().position(|argument| *argument == File) {
            let mesh = self.mesh(&arguments[k], form.example, scope)?;
            shape = quote!(#shape(#mesh));
        }
        let kernel = if form.arguments == [Points] {
            self.polyline(&arguments[0], scope)?
        } else {
            self.drawn(form, arguments, scope)?
        };
        Some(StatementKind::Draw { shape, color, kernel })
    }

    /// Code of what a file's name stands for.
    fn mesh(&mut self, argument: &Expr, example: &str, scope: ScopeId) -> Option<TokenStream> {
        let Expr::Lit(ExprLit { lit: Lit::Str(file), .. }) = argument else {
            let message = format!(
                "the file stands here in quotation marks, in `{example}`: it becomes part of the program"
            );
            self.diag.push(syn::Error::new_spanned(argument, message));
            return None;
        };
        let block = self.scopes.list[scope].block;
        if let Some(base) = &self.blocks.0[block].path {
            // Of another block: that knows the file.
            let name = format_ident!("{}", mesh::name(file));
            return Some(quote!(&#base::#name));
        }
        if let Some(message) = mesh::missing(file) {
            self.diag.error(file.span(), message);
            return None;
        }
        if self.exporting {
            self.model.meshes.insert(mesh::name(file), file.clone());
        }
        let bytes = mesh::bytes(file);
        Some(quote!({
            static __FILE: __mbd::Mesh = __mbd::Mesh::new(#file, #bytes);
            &__FILE
        }))
    }

    fn drawn(&mut self, form: &Form, arguments: &[Expr], scope: ScopeId) -> Option<Kernel> {
        let arguments = || arguments.iter().zip(form.arguments).filter(|(_, kind)| **kind != File);
        for (argument, kind) in arguments() {
            self.point_or_length(argument, *kind, form.example)?;
        }
        let mut tx = Tx::new(self, scope, Mode::Kernel, None);
        let arguments: Vec<TokenStream> = arguments()
            .map(|(argument, kind)| match kind {
                Length => tx.rooted(argument),
                Place | Points | File => tx.array(argument),
            })
            .collect();
        let function = format_ident!("{}", form.function);
        let code = tx.code(quote!(__mbd::components::draw::#function(#(#arguments),*)));
        Some(self.finish(form.rows, code))
    }

    /// A list of points, three numbers each.
    fn polyline(&mut self, list: &Expr, scope: ScopeId) -> Option<Kernel> {
        let Some(points) = entries(list).filter(|points| points.len() > 1) else {
            let message = "a polyline is made of two points or more in brackets: `polyline([p, q, r])`; in a loop, draw a `line` for each part";
            self.diag.push(syn::Error::new_spanned(list, message));
            return None;
        };
        for point in &points {
            self.point_or_length(point, Place, "polyline([p, q, r])")?;
        }
        let mut tx = Tx::new(self, scope, Mode::Kernel, None);
        let points: Vec<TokenStream> = points.iter().map(|point| tx.array(point)).collect();
        let rows = 3 * points.len();
        let code = tx.code(quote!({
            let __points = [#(__mbd::components::draw::trace(#points)),*];
            ::core::array::from_fn(|__k| __points[__k / 3][__k % 3])
        }));
        Some(self.finish(rows, code))
    }

    /// An array written out has two or three entries, and stands where a point or edges do.
    fn point_or_length(&self, argument: &Expr, kind: Argument, example: &str) -> Option<()> {
        let Some(entries) = entries(argument) else { return Some(()) };
        let message = match (kind, entries.len()) {
            (Length, _) => format!("a length stands here, in `{example}`"),
            (_, 2 | 3) => return Some(()),
            (_, n) => format!("two or three numbers stand here, in `{example}`, not {n}"),
        };
        self.diag.push(syn::Error::new_spanned(argument, message));
        None
    }

    /// A colour that there is; empty after an error.
    fn color(&self, Color { text, span }: &Color) -> String {
        let hex = text.strip_prefix('#').is_some_and(|digits| {
            matches!(digits.len(), 3 | 6) && digits.chars().all(|c| c.is_ascii_hexdigit())
        });
        if hex || keyword::COLORS.contains(&text.as_str()) {
            return text.clone();
        }
        let hint = match did_you_mean(text, keyword::COLORS.iter().copied()) {
            hint if hint.is_empty() => {
                format!("; it is one of {}, or \"#rrggbb\"", keyword::COLORS.join(", "))
            }
            hint => hint,
        };
        self.diag.error(*span, format!("`{text}` is not a colour{hint}"));
        String::new()
    }
}
