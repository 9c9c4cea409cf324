//! Expressions: finds what they read and prepares them for dual numbers.
//!
//! The expression stays the user's Rust; only three things change. Names of the model become
//! locals of the kernel (recorded as reads). Whole numbers in arithmetic with scalars become
//! floats. A plain number standing alone where a scalar is wanted (a branch of an `if`, an entry
//! of an array, an argument) is lifted. What the walk cannot follow is rejected: a read it does
//! not see would be a missing derivative.

mod choice;
pub(super) mod vector;

use super::index::{self, is_const};
use super::reads::rate_of;
use super::scope::{LetDefId, ScopeId, Symbol};
use super::statement::ROWS;
use super::{Resolver, Subst};
use crate::ast::ConstraintKind;
use crate::diag::{did_you_mean, nearest};
use crate::ir::*;
use crate::keyword;
use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::cell::Cell;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprCall, Lit, LitFloat, Member, Pat, Stmt, UnOp};

/// Where an expression lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// In a kernel, on scalars.
    Kernel,
    /// In a default value, on f64; only sizes and earlier parameters exist.
    Default,
    /// In a `#[differentiable]` function, plain Rust whose every input is an argument: only
    /// numbers change, nothing is rejected.
    Function,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Local {
    Int,
    /// A scalar for certain.
    Scalar,
    /// An array for certain.
    Vector,
    Other,
}

/// The walk over one expression.
pub(super) struct Tx<'r, 'a> {
    r: &'r mut Resolver<'a>,
    scope: ScopeId,
    mode: Mode,
    subst: Option<Subst>,
    /// Locals of the user's own Rust, innermost last.
    locals: Vec<(String, Local)>,
    /// Locals before this one are outside the innermost `der(…)`.
    der_floor: usize,
    reads: Vec<Read>,
    /// An error was reported.
    broken: Cell<bool>,
}

/// What a reference such as `x`, `x[i]`, `k1.x`, `link[i].x` means.
struct Ref {
    symbol: Symbol,
    scope: ScopeId,
    subst: Option<Subst>,
    /// Index after an array's name.
    entry: Option<Expr>,
    span: Span,
}

impl Resolver<'_> {
    /// Code of a let.
    pub(super) fn let_value(
        &mut self,
        def: LetDefId,
        value: &mut Expr,
        scope: ScopeId,
        subst: Option<Subst>,
    ) -> Code {
        self.shape_of_let(def);
        let mut tx = Tx::new(self, scope, Mode::Kernel, subst);
        let whole = tx.is_int(value) && !tx.is_int_literal_division(value);
        let array = tx.is_int_array(value);
        tx.standing(value);
        let code = tx.code(value.to_token_stream());
        if whole {
            self.whole_lets.insert(def);
        }
        if array {
            self.whole_arrays.insert(def);
        }
        code
    }
}

impl<'r, 'a> Tx<'r, 'a> {
    pub(super) fn new(
        r: &'r mut Resolver<'a>,
        scope: ScopeId,
        mode: Mode,
        subst: Option<Subst>,
    ) -> Self {
        Tx {
            r,
            scope,
            mode,
            subst,
            locals: Vec::new(),
            der_floor: 0,
            reads: Vec::new(),
            broken: Cell::default(),
        }
    }

    /// The finished code.
    pub(super) fn code(self, tokens: TokenStream) -> Code {
        Code { tokens, reads: self.reads, broken: self.broken.get() }
    }

    fn error(&self, span: Span, message: impl std::fmt::Display) {
        self.broken.set(true);
        self.r.diag.error(span, message);
    }

    /// The value of a whole statement: a scalar.
    pub(super) fn root(&mut self, e: &mut Expr) {
        if self.is_vector(e) {
            self.error(
                e.span(),
                "a scalar is wanted here, and this is a vector: name one of its entries, as in `v[0]`, or take `norm(v)` or `dot(v, axis)`",
            );
        }
        self.scalar(e);
        if self.mode == Mode::Kernel {
            let scalar = scalar_type(e.span());
            *e = verbatim(quote_spanned!(e.span()=> __mbd::Num::<#scalar>::from(#e)));
        }
    }

    /// Where a value stands alone: plain numbers are lifted.
    fn standing(&mut self, e: &mut Expr) {
        if let Expr::Paren(inner) = e {
            return self.standing(&mut inner.expr);
        }
        if self.mode == Mode::Kernel && self.names_constant(e) {
            self.plain(e);
            let span = e.span();
            let scalar = scalar_type(span);
            *e = verbatim(quote_spanned!(span=> __mbd::Constant(#e).lift::<#scalar>()));
            return;
        }
        if self.is_float(e) || self.is_int_literal_division(e) {
            self.float(e);
            self.lift(e);
        } else {
            self.plain(e);
        }
    }

    /// Where a scalar stands alone: whole numbers are lifted as well.
    pub(super) fn scalar(&mut self, e: &mut Expr) {
        if self.is_int(e) {
            self.float(e);
            self.lift(e);
        } else {
            self.standing(e);
        }
    }

    fn lift(&self, e: &mut Expr) {
        if self.mode != Mode::Default {
            let span = e.span();
            let scalar = scalar_type(span);
            *e = verbatim(quote_spanned!(span=> __mbd::num::<#scalar>(#e)));
        }
    }

    /// A value that is a scalar or a plain number, which of them its type tells.
    fn converted(&mut self, e: &mut Expr) {
        let known = self.is_scalar(e) || self.is_float(e) || self.is_int(e);
        use Expr::*;
        let other = matches!(
            e,
            Array(_)
                | Tuple(_)
                | Struct(_)
                | Closure(_)
                | Reference(_)
                | Repeat(_)
                | Macro(_)
                | Return(_)
                | Break(_)
                | Continue(_)
                | Range(_)
                | If(_)
                | Match(_)
                | Block(_)
        );
        self.scalar(e);
        if !known && !other && self.mode == Mode::Kernel {
            let span = e.span();
            let scalar = scalar_type(span);
            *e = verbatim(quote_spanned!(span=> __mbd::Num::<#scalar>::from(#e)));
        }
    }

    /// An argument of a function of the user's or of the library's.
    fn argument(&mut self, e: &mut Expr) {
        let whole = self.is_int(e);
        let array = self.is_int_array(e);
        let lifted = self.is_float(e) || self.is_int_literal_division(e) || self.names_constant(e);
        let value = match e {
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.local(name).is_none())
            }
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Binary(_) | Expr::Unary(_) => true,
            Expr::Field(_) | Expr::Index(_) => true,
            _ => false,
        };
        self.standing(e);
        if self.mode == Mode::Kernel && (array || value && !whole && !lifted) {
            *e = verbatim(quote_spanned!(e.span()=> __mbd::pass(#e)));
        }
    }

    /// An operand of arithmetic with a scalar: whole numbers become floats.
    fn operand(&mut self, e: &mut Expr) {
        if self.is_int(e) { self.float(e) } else { self.plain(e) }
    }

    /// Turns a constant into f64 code, literal by literal, so that `1/2*x` is half of x.
    fn float(&mut self, e: &mut Expr) {
        match e {
            Expr::Lit(lit) => {
                if let Lit::Int(int) = &lit.lit {
                    lit.lit =
                        LitFloat::new(&format!("{}.0", int.base10_digits()), int.span()).into();
                }
            }
            Expr::Paren(inner) => self.float(&mut inner.expr),
            Expr::Group(inner) => self.float(&mut inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.float(&mut unary.expr),
            Expr::Binary(binary)
                if is_arithmetic(&binary.op) && !matches!(binary.op, BinOp::Rem(_)) =>
            {
                self.float(&mut binary.left);
                self.float(&mut binary.right);
            }
            _ => {
                let int = self.is_int(e);
                self.plain(e);
                if int {
                    *e = verbatim(quote_spanned!(e.span()=> ((#e) as ::core::primitive::f64)));
                }
            }
        }
    }

    /// An expression left as it is in Rust; its parts are visited.
    fn plain(&mut self, e: &mut Expr) {
        if let Some(tokens) = self.time(e) {
            *e = verbatim(tokens);
            return;
        }
        if let Some(reference) = self.reference(e) {
            let tokens = self.read(reference, e);
            *e = verbatim(tokens);
            return;
        }
        if self.mode == Mode::Function && self.in_function(e) {
            return;
        }
        if self.vector_operator(e) || self.vector_negated(e) {
            return;
        }
        match e {
            Expr::Lit(_) | Expr::Verbatim(_) | Expr::Continue(_) => {}
            Expr::Path(path) => self.path(path),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.plain(&mut unary.expr),
            Expr::Paren(inner) => self.plain(&mut inner.expr),
            Expr::Group(inner) => self.plain(&mut inner.expr),
            Expr::Reference(inner) => self.plain(&mut inner.expr),
            Expr::Cast(cast) => self.plain(&mut cast.expr),
            Expr::Call(_) => self.call(e),
            Expr::MethodCall(call) => {
                self.of_a_body(call);
                self.method(call);
            }
            Expr::Field(field) => self.plain(&mut field.base),
            Expr::Index(index) => {
                if !self.row(index) {
                    self.plain(&mut index.expr);
                    self.plain(&mut index.index);
                } else {
                    let tokens = self.multiplier_row(index);
                    *e = verbatim(tokens);
                }
            }
            Expr::Array(array) => self.elements(array.elems.iter_mut().collect(), true),
            Expr::Tuple(tuple) => self.elements(tuple.elems.iter_mut().collect(), false),
            Expr::Repeat(repeat) => {
                self.standing(&mut repeat.expr);
                self.plain(&mut repeat.len);
            }
            Expr::Struct(s) => {
                for field in &mut s.fields {
                    self.argument(&mut field.expr);
                    if field.colon_token.is_none() {
                        field.colon_token = Some(std::default::Default::default());
                    }
                }
                if let Some(rest) = &mut s.rest {
                    self.plain(rest);
                }
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.branches(e),
            Expr::Let(binding) => {
                self.plain(&mut binding.expr);
                self.bind(&binding.pat, Local::Other);
            }
            Expr::Closure(closure) => {
                let depth = self.locals.len();
                for input in &closure.inputs {
                    self.bind(input, Local::Other);
                }
                self.standing(&mut closure.body);
                self.locals.truncate(depth);
            }
            Expr::Range(range) => {
                for end in [&mut range.start, &mut range.end].into_iter().flatten() {
                    self.plain(end);
                }
            }
            Expr::Assign(assign) => {
                self.assigned(&assign.left);
                self.plain(&mut assign.left);
                self.standing(&mut assign.right);
            }
            Expr::ForLoop(f) => {
                let kind = if self.is_int_sequence(&f.expr) { Local::Int } else { Local::Other };
                self.plain(&mut f.expr);
                let depth = self.locals.len();
                self.bind(&f.pat, kind);
                self.block(&mut f.body, Tail::None);
                self.locals.truncate(depth);
            }
            Expr::While(w) => {
                let depth = self.locals.len();
                self.plain(&mut w.cond);
                self.block(&mut w.body, Tail::None);
                self.locals.truncate(depth);
            }
            Expr::Loop(l) => self.block(&mut l.body, Tail::None),
            Expr::Break(b) => {
                if let Some(value) = &mut b.expr {
                    self.standing(value);
                }
            }
            Expr::Macro(m) => {
                let name = m.mac.path.to_token_stream().to_string().replace(' ', "");
                self.error(
                    m.mac.path.span(),
                    format!("macros such as `{name}!` cannot be used here: what they read is hidden from the derivative engine; call a function instead"),
                );
            }
            Expr::Return(r) => self.error(
                r.return_token.span,
                "`return` has no meaning in a model; let the value be the last expression",
            ),
            other => {
                let error = syn::Error::new_spanned(
                    &*other,
                    "the language cannot follow this kind of Rust expression; move it into a function",
                );
                self.r.diag.push(error);
            }
        }
    }

    /// The body of a function with these arguments.
    pub(super) fn function(mut self, arguments: &[Pat], body: &Block) -> TokenStream {
        arguments.iter().for_each(|argument| self.bind_argument(argument));
        let mut body = body.clone();
        choice::returns_as_branches(&mut body);
        self.block(&mut body, Tail::Scalar);
        body.stmts.iter().map(|stmt| stmt.to_token_stream()).collect()
    }

    /// What a function may contain and a model may not.
    fn in_function(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Path(_) | Expr::Macro(_) => {}
            Expr::Return(r) => {
                if let Some(value) = &mut r.expr {
                    self.scalar(value);
                }
            }
            Expr::Try(t) => self.plain(&mut t.expr),
            Expr::Unsafe(u) => self.block(&mut u.block, Tail::Scalar),
            _ => return false,
        }
        true
    }

    /// Entries of an array, which are of one type, or of a tuple.
    fn elements(&mut self, mut list: Vec<&mut Expr>, alike: bool) {
        let all_int = list.iter().all(|e| self.is_int(e));
        let scalars = alike && list.iter().any(|e| self.is_scalar(e) || self.is_float(e));
        for e in &mut list {
            if all_int {
                self.plain(e)
            } else if scalars {
                self.converted(e)
            } else {
                self.scalar(e)
            }
        }
    }

    fn binary(&mut self, binary: &mut syn::ExprBinary) {
        let ints = self.is_int(&binary.left) && self.is_int(&binary.right);
        match &binary.op {
            BinOp::BitXor(op) if !ints => {
                self.error(
                    op.span,
                    "`^` is not a power in Rust: write `sq(x)`, `x.powi(3)` or `x.powf(1.5)`",
                );
            }
            op if is_op_assign(op) => {
                self.assigned(&binary.left);
                let int = self.is_int(&binary.left);
                self.plain(&mut binary.left);
                if int {
                    self.plain(&mut binary.right)
                } else {
                    self.operand(&mut binary.right)
                }
                return;
            }
            BinOp::And(_) | BinOp::Or(_) | BinOp::Shl(_) | BinOp::Shr(_) => {
                self.plain(&mut binary.left);
                self.plain(&mut binary.right);
                return;
            }
            _ => {}
        }
        if ints {
            self.plain(&mut binary.left);
            self.plain(&mut binary.right);
        } else {
            self.operand(&mut binary.left);
            self.operand(&mut binary.right);
        }
    }

    /// Names of the model are not assigned to.
    fn assigned(&self, target: &Expr) {
        if let Expr::Path(path) = target
            && let Some(name) = path.path.get_ident()
            && self.local(name).is_none()
            && self.mode != Mode::Function
        {
            self.error(name.span(), format!("`{name}` cannot be assigned to; to equate, write `==` in a `holonomic`, `variable` or `equation` statement"));
        }
    }

    fn path(&mut self, path: &mut syn::ExprPath) {
        let Some(name) = path.path.get_ident() else {
            // In the code that is written `Self` is something else.
            if path.path.segments[0].ident == "Self" && self.mode == Mode::Kernel {
                let span = path.path.segments[0].ident.span();
                let mut model = self.r.model.name.clone();
                model.set_span(span);
                path.path.segments[0].ident = model;
            }
            return;
        };
        if let Some(position) = self.local(name) {
            if position < self.der_floor && self.locals[position].1 != Local::Int {
                self.error(
                    name.span(),
                    format!("`der` cannot follow the local `{name}`; make it a `let` statement of the model"),
                );
            }
            return;
        }
        let text = name.to_string();
        if is_const(name) {
            let nearest = nearest(&text, self.r.scopes.visible(self.scope)).map(String::from);
            self.r.model.constants.push(Constant { name: name.clone(), nearest });
            return;
        }
        if text == "self" || text == "Self" {
            self.error(name.span(), "`self` has no meaning in a model");
            return;
        }
        let scopes = &self.r.scopes;
        let message = if scopes.constraint(self.scope, &text).is_some() {
            format!("`{text}` is a constraint; its multiplier is `lambda({text})` or `psi({text})`")
        } else if scopes.has_label(self.scope, "output", &text) {
            format!("`{text}` is an output, which cannot be read; make it a `let` and output that")
        } else {
            let mut known = scopes.visible(self.scope);
            known.extend(self.locals.iter().map(|(name, _)| name.as_str()));
            known.push("t");
            let hint = did_you_mean(&text, known);
            if self.mode == Mode::Default && hint.is_empty() {
                format!(
                    "unknown name `{text}`: a default reads sizes and parameters declared before it"
                )
            } else {
                format!("unknown name `{text}`{hint}")
            }
        };
        self.error(name.span(), message);
    }

    fn local(&self, name: &Ident) -> Option<usize> {
        self.locals.iter().rposition(|(local, _)| name == local)
    }

    // -- calls ---------------------------------------------------------------------------------

    fn call(&mut self, e: &mut Expr) {
        let Expr::Call(call) = e else { return };
        let name = match &*call.func {
            Expr::Path(path) => path.path.get_ident().cloned(),
            _ => None,
        };
        if let Some(name) = &name
            && self.local(name).is_none()
            && self.mode != Mode::Function
        {
            if name == keyword::DER {
                let tokens = self.der(call);
                *e = verbatim(tokens);
                return;
            }
            if name == keyword::LAMBDA || name == keyword::PSI {
                let tokens = self.multiplier(call, None);
                *e = verbatim(tokens);
                return;
            }
        }
        match (&name, &mut *call.func) {
            (Some(name), func) => {
                if let Some((Symbol::Let(_), _)) = self.r.scopes.find(self.scope, &name.to_string())
                {
                    self.plain(func);
                }
            }
            (None, Expr::Path(_)) => {}
            (None, func) => self.plain(func),
        }
        if let Some(name) = &name
            && keyword::VECTOR_FUNCTIONS.iter().any(|known| name == known)
            && self.local(name).is_none()
            && !matches!(
                self.r.scopes.find(self.scope, &name.to_string()),
                Some((Symbol::Let(_), _))
            )
        {
            self.r.model.functions.insert(name.to_string());
        }
        let last =
            call.func.to_token_stream().into_iter().last().map_or(String::new(), |t| t.to_string());
        let known = keyword::SCALAR_FUNCTIONS.contains(&last.as_str());
        let several = call.args.len() > 1;
        // What a closure takes is found out from what it is given.
        let closure = name.as_ref().is_none_or(|name| {
            self.local(name).is_some()
                || matches!(
                    self.r.scopes.find(self.scope, &name.to_string()),
                    Some((Symbol::Let(_), _))
                )
        }) && !matches!(&*call.func, Expr::Path(path) if path.path.segments.len() > 1);
        for (i, arg) in call.args.iter_mut().enumerate() {
            match last.as_str() {
                "powi" if i == 1 => self.plain(arg),
                "powf" if i == 1 => self.operand(arg),
                "powi" | "powf" => self.scalar(arg),
                // Of two arguments and more the others are scalars like the first.
                _ if known && several => self.converted(arg),
                _ if known => self.scalar(arg),
                _ if closure => self.standing(arg),
                _ => self.argument(arg),
            }
        }
    }

    fn method(&mut self, call: &mut syn::ExprMethodCall) {
        let ints = self.is_int_sequence(&call.receiver);
        if let Expr::Lit(lit) = &mut *call.receiver
            && let Lit::Float(float) = &lit.lit
            && float.suffix().is_empty()
        {
            lit.lit = LitFloat::new(&format!("{}f64", float.base10_digits()), float.span()).into();
        }
        self.plain(&mut call.receiver);
        let name = call.method.to_string();
        if name == "sum" && call.turbofish.is_none() && !ints {
            // Rust asks which type a sum has; here it is a scalar.
            let scalar = scalar_type(call.method.span());
            call.turbofish = Some(syn::parse_quote!(::<__mbd::Num<#scalar>>));
        }
        for arg in &mut call.args {
            match arg {
                Expr::Closure(closure) if ints => {
                    let depth = self.locals.len();
                    for (i, input) in closure.inputs.iter().enumerate() {
                        let accumulator = name == "fold" && i == 0;
                        self.bind(input, if accumulator { Local::Other } else { Local::Int });
                    }
                    self.standing(&mut closure.body);
                    self.locals.truncate(depth);
                }
                _ if name == "powi" || name == "pow" => self.plain(arg),
                _ if name == "powf" => self.operand(arg),
                _ if keyword::SCALAR_FUNCTIONS.contains(&name.as_str()) => self.scalar(arg),
                Expr::Array(_) => self.argument(arg),
                _ => self.standing(arg),
            }
        }
    }

    /// `der(…)`: a velocity, acceleration or rate, or a block that is evaluated on rates.
    fn der(&mut self, call: &ExprCall) -> TokenStream {
        let span = call.func.span();
        if self.mode == Mode::Default {
            self.error(span, "a default value is computed before there is motion");
            return quote!(0.0);
        }
        if call.args.len() != 1 {
            self.error(span, "`der` takes one argument");
            return self.nothing(span);
        }
        let Some(arg) = call.args.first() else { return self.nothing(span) };
        if let Some(tokens) = self.der_of_name(arg, 1, span) {
            return tokens;
        }
        if let Expr::Call(inner) = arg
            && is_call_of(inner, keyword::DER)
            && inner.args.len() == 1
            && let Some(tokens) = inner.args.first().and_then(|arg| self.der_of_name(arg, 2, span))
        {
            return tokens;
        }
        let mut value = arg.clone();
        if self.is_int(&value) || self.is_float(&value) {
            self.error(arg.span(), "the time derivative of a constant is zero");
            return self.nothing(span);
        }
        let reads = std::mem::take(&mut self.reads);
        let floor = std::mem::replace(&mut self.der_floor, self.locals.len());
        self.standing(&mut value);
        self.der_floor = floor;
        let reads = std::mem::replace(&mut self.reads, reads);
        let id = self.r.model.ders.len();
        self.r.model.ders.push(Code { tokens: value.to_token_stream(), reads, broken: false });
        self.reads.push(Read { what: ReadWhat::Der(id), span });
        names::ident(&format!("{DER_PREFIX}{id}"), span).to_token_stream()
    }

    /// The `order`-th derivative of a declared scalar; `None` when the argument is not one.
    fn der_of_name(&mut self, arg: &Expr, order: usize, read_at: Span) -> Option<TokenStream> {
        if let Expr::Paren(inner) = arg {
            return self.der_of_name(&inner.expr, order, read_at);
        }
        let reference = self.reference(arg)?;
        let span = arg.span();
        let message = match reference.symbol {
            Symbol::Scalar(id) => {
                let mut what = What::Slot(first_slot(self.r.model.scalars[id].kind), id);
                for _ in 0..order {
                    match rate_of(what) {
                        Ok(Some(rate)) => what = rate,
                        _ => {
                            let name = &self.r.model.scalars[id].name;
                            let kind = self.r.model.scalars[id].kind;
                            let message = match kind {
                                ScalarKind::Variable => format!(
                                    "`{name}` is an algebraic variable: its rate is not an unknown of the model; make it a `state` with an `equation`"
                                ),
                                _ => format!(
                                    "`{name}` has no derivative of order {order} in the model"
                                ),
                            };
                            self.error(span, message);
                            return Some(self.nothing(span));
                        }
                    }
                }
                return Some(self.scalar_leaf_at(what, id, reference, read_at));
            }
            Symbol::Param(id) => format!(
                "`{}` is a parameter: its time derivative is zero",
                self.r.model.params[id].name
            ),
            Symbol::Size(_) | Symbol::Index(_) => {
                "the time derivative of a constant is zero".into()
            }
            Symbol::Body(_) => {
                "a body has no time derivative; take that of one of its names, as in `der(k1.x)`"
                    .into()
            }
            Symbol::Let(_) | Symbol::Broken => return None,
        };
        self.error(span, message);
        Some(self.nothing(span))
    }

    /// Stands where an error was reported.
    fn nothing(&self, span: Span) -> TokenStream {
        self.broken.set(true);
        let scalar = scalar_type(span);
        quote_spanned!(span=> __mbd::num::<#scalar>(0.0))
    }

    // -- multipliers ---------------------------------------------------------------------------

    /// True for `lambda(name)[row]`.
    fn row(&self, index: &syn::ExprIndex) -> bool {
        matches!(&*index.expr, Expr::Call(call)
            if is_call_of(call, keyword::LAMBDA) || is_call_of(call, keyword::PSI))
    }

    fn multiplier_row(&mut self, index: &syn::ExprIndex) -> TokenStream {
        match &*index.expr {
            Expr::Call(call) => self.multiplier(call, Some(&index.index)),
            _ => self.nothing(index.span()),
        }
    }

    /// `lambda(name)`, `lambda(name[i])`, with an optional `[row]` after it.
    fn multiplier(&mut self, call: &ExprCall, row: Option<&Expr>) -> TokenStream {
        let span = call.func.span();
        let word = call.func.to_token_stream().to_string();
        if self.mode == Mode::Default || call.args.len() != 1 {
            self.error(span, format!("`{word}` takes the name of a constraint and stands in force laws, variables, equations and outputs"));
            return self.nothing(span);
        }
        let (name, instance) = match call.args.first() {
            Some(Expr::Index(index)) => (&*index.expr, Some(&*index.index)),
            Some(name) => (name, None),
            None => return self.nothing(span),
        };
        let Some(id) = self.constraint(name, &word) else { return self.nothing(span) };
        let constraint = &self.r.model.constraints[id];
        let (rows, looped, text) =
            (constraint.rows, !constraint.loops.is_empty(), constraint.name.clone());
        let wanted = match constraint.kind {
            ConstraintKind::Holonomic => keyword::LAMBDA,
            ConstraintKind::Nonholonomic => keyword::PSI,
        };
        if wanted != word {
            self.error(
                span,
                format!(
                    "`{text}` is {}: its multiplier is `{wanted}({text})`",
                    kind_name(self.r.model.constraints[id].kind)
                ),
            );
            return self.nothing(span);
        }
        let instance = match (looped, instance) {
            (true, Some(index)) => match self.index(index) {
                Some(tokens) => Some(tokens),
                None => return self.nothing(span),
            },
            (true, None) if self.this_iteration(id).is_some() => self.this_iteration(id),
            (true, None) => {
                self.error(name.span(), format!("`{text}` stands in a loop and has one multiplier per iteration: write `{word}({text}[i])`"));
                return self.nothing(span);
            }
            (false, Some(index)) => {
                self.error(
                    index.span(),
                    format!("`{text}` is a single constraint; its rows are `{word}({text})[0]`, …"),
                );
                return self.nothing(span);
            }
            (false, None) => None,
        };
        let row = match row {
            Some(row) => {
                if rows == 1 {
                    self.error(
                        row.span(),
                        format!("`{word}({text})` is one scalar and takes no index"),
                    );
                    return self.nothing(span);
                }
                if index::literal(row).is_some_and(|i| i < 0 || i >= rows as i64) {
                    self.error(
                        row.span(),
                        format!("constraint `{text}` has rows 0 to {}", rows - 1),
                    );
                    return self.nothing(span);
                }
                match self.index(row) {
                    Some(tokens) => Some(tokens),
                    None => return self.nothing(span),
                }
            }
            None => None,
        };
        let leaf = self.r.leaf(What::Multiplier(id), Index::Row { instance, row });
        self.leaf(leaf, span)
    }

    /// In the loop a constraint stands in, or its array of bodies, its instance of the same iteration.
    fn this_iteration(&self, id: ConstraintId) -> Option<TokenStream> {
        let [around] = self.r.model.constraints[id].loops[..] else { return None };
        let Loop { var, start, .. } = &self.r.model.loops[around];
        if let Some(array) = &self.r.scopes.list[self.scope].array
            && array.index == *var
        {
            let other = self.subst.as_ref().filter(|subst| subst.owner == array.owner);
            return Some(other.map_or(var.to_token_stream(), |subst| subst.tokens.clone()));
        }
        let here = self.r.scopes.find(self.scope, &var.to_string());
        matches!(here, Some((Symbol::Index(found), _)) if found == around)
            .then(|| quote!(#var - (#start)))
    }

    fn constraint(&mut self, name: &Expr, word: &str) -> Option<ConstraintId> {
        let (scope, ident) = match name {
            Expr::Path(path) => (self.scope, path.path.get_ident()?.clone()),
            Expr::Field(field) => {
                match (self.reference(&field.base).map(|r| r.symbol), &field.member) {
                    (Some(Symbol::Body(scope)), Member::Named(ident)) => (scope, ident.clone()),
                    _ => {
                        self.error(name.span(), format!("`{word}` takes the name of a constraint"));
                        return None;
                    }
                }
            }
            _ => {
                self.error(name.span(), format!("`{word}` takes the name of a constraint"));
                return None;
            }
        };
        let found = self.r.scopes.constraint(scope, &ident.to_string());
        // A joint's name is that of its rows.
        let joint = match self.r.meaning(name, self.scope) {
            Some((Symbol::Body(inner), _)) if self.r.scopes.list[inner].joint.is_some() => {
                self.r.scopes.own_constraint(inner, ROWS)
            }
            _ => None,
        };
        let found = found.or(joint);
        if found.is_none() {
            let hint = did_you_mean(&ident.to_string(), self.r.scopes.constraints(scope));
            let message = if self.r.scopes.find(scope, &ident.to_string()).is_some() {
                format!("`{ident}` is not a constraint and has no multiplier{hint}")
            } else {
                format!("there is no constraint `{ident}`{hint}")
            };
            self.error(ident.span(), message);
        }
        found
    }

    /// `t` or `time`.
    fn time(&mut self, e: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = e else { return None };
        let name = path.path.get_ident()?;
        let is_time = keyword::TIME.iter().any(|word| name == word);
        if !is_time || self.local(name).is_some() || self.mode != Mode::Kernel {
            return None;
        }
        let leaf = self.r.leaf(What::Time, Index::None);
        Some(self.leaf(leaf, name.span()))
    }

    // -- names of the model --------------------------------------------------------------------

    /// What a name, entry or member means; `None` when it is not a name of the model.
    fn reference(&mut self, e: &Expr) -> Option<Ref> {
        match e {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                if self.local(name).is_some() {
                    return None;
                }
                let text = name.to_string();
                if keyword::TIME.contains(&text.as_str()) && self.mode == Mode::Kernel {
                    return None;
                }
                let (symbol, scope) = self.r.scopes.find(self.scope, &text)?;
                let subst = self.subst.clone();
                Some(Ref { symbol, scope, subst, entry: None, span: name.span() })
            }
            Expr::Field(field) => {
                let base = self.body(&field.base)?;
                if base.symbol == Symbol::Broken {
                    return Some(base);
                }
                let Symbol::Body(inner) = base.symbol else { return None };
                let Member::Named(member) = &field.member else { return None };
                let span = member.span();
                if let Some(symbol) = self.r.scopes.member(inner, &member.to_string()) {
                    return Some(Ref {
                        symbol,
                        scope: inner,
                        subst: base.subst,
                        entry: None,
                        span,
                    });
                }
                let hint = did_you_mean(&member.to_string(), self.r.scopes.members(inner));
                let body = self.r.scopes.list[inner].prefix.trim_end_matches('.').to_string();
                let hint = if hint.is_empty() {
                    format!("; it has {}", self.r.scopes.members(inner).join(", "))
                } else {
                    hint
                };
                self.error(span, format!("`{body}` has no `{member}`{hint}"));
                Some(Ref { symbol: Symbol::Broken, scope: inner, subst: None, entry: None, span })
            }
            Expr::Index(index) => {
                let mut base = self.reference(&index.expr)?;
                let array = match base.symbol {
                    Symbol::Scalar(id) => &self.r.model.scalars[id].len,
                    Symbol::Param(id) => &self.r.model.params[id].len,
                    _ => return None,
                };
                if array.is_some()
                    && self.uses_local(&index.index)
                    && array.as_ref().is_some_and(|len| len.literal.is_some())
                {
                    // Indexed by a local of the expression: the whole array is read.
                    return None;
                }
                if base.entry.is_some() {
                    return None;
                }
                base.entry = Some((*index.index).clone());
                Some(base)
            }
            _ => None,
        }
    }

    /// A body, or an entry of an array of bodies.
    fn body(&mut self, e: &Expr) -> Option<Ref> {
        if let Expr::Index(index) = e {
            let mut base = self.reference(&index.expr)?;
            if base.symbol == Symbol::Broken {
                return Some(base);
            }
            let Symbol::Body(inner) = base.symbol else { return None };
            let owner = self.r.scopes.list[inner].array.as_ref().map(|array| array.owner);
            let Some(owner) = owner.filter(|owner| *owner == inner) else {
                self.error(index.index.span(), "this is a single body and takes no index");
                base.symbol = Symbol::Body(inner);
                return Some(base);
            };
            let tokens = self.index(&index.index)?;
            base.subst = Some(Subst { owner, tokens });
            return Some(base);
        }
        let base = self.reference(e)?;
        if base.symbol == Symbol::Broken {
            return Some(base);
        }
        let Symbol::Body(inner) = base.symbol else { return None };
        let scopes = &self.r.scopes;
        let needs_index =
            scopes.list[inner].array.as_ref().is_some_and(|array| array.owner == inner)
                && base.subst.as_ref().is_none_or(|s| s.owner != inner);
        if needs_index {
            self.error(base.span, "this is an array of bodies: name one, as in `link[i].x`");
        }
        Some(base)
    }

    fn uses_local(&self, e: &Expr) -> bool {
        struct Names<'a>(&'a [(String, Local)], bool);
        impl Visit<'_> for Names<'_> {
            fn visit_expr_path(&mut self, path: &syn::ExprPath) {
                self.1 |= path
                    .path
                    .get_ident()
                    .is_some_and(|name| self.0.iter().any(|(local, _)| name == local));
            }
        }
        let mut names = Names(&self.locals, false);
        names.visit_expr(e);
        names.1
    }

    /// i64 code of an index.
    fn index(&self, e: &Expr) -> Option<TokenStream> {
        let locals: Vec<String> = self.locals.iter().map(|(name, _)| name.clone()).collect();
        self.r.index_tokens(e, self.scope, &locals)
    }

    /// Records what a reference reads; gives the code that stands for it.
    fn read(&mut self, reference: Ref, e: &Expr) -> TokenStream {
        let span = e.span();
        match reference.symbol {
            Symbol::Broken => self.nothing(span),
            Symbol::Size(id) => {
                self.reads.push(Read { what: ReadWhat::Size(id), span });
                let name = self.r.model.sizes[id].name.to_string();
                names::ident(&name, span).to_token_stream()
            }
            Symbol::Index(id) => {
                let name = self.r.model.loops[id].var.to_string();
                names::ident(&name, span).to_token_stream()
            }
            Symbol::Body(inner) => {
                let message = match self.r.scopes.list[inner].joint {
                    Some(_) => "a joint is not a value; name one of its parts, as in `hinge.force`",
                    None => "a body is not a value; name one of its parts, as in `k1.frame`",
                };
                self.error(span, message);
                self.nothing(span)
            }
            Symbol::Param(id) if self.mode == Mode::Default => {
                self.default_param(id, &reference, e)
            }
            _ if self.mode == Mode::Default => {
                self.error(span, "a default value may read sizes and parameters declared before it, nothing that moves");
                quote!(0.0)
            }
            Symbol::Param(id) => {
                match self.place(&reference, self.r.model.params[id].len.clone(), span) {
                    Some(index) => {
                        let leaf = self.r.leaf(What::Param(id), index);
                        self.leaf(leaf, span)
                    }
                    None => self.nothing(span),
                }
            }
            Symbol::Scalar(id) => {
                let what = What::Slot(first_slot(self.r.model.scalars[id].kind), id);
                self.scalar_leaf(what, id, reference)
            }
            Symbol::Let(def) => {
                let array = self.r.scopes.list[reference.scope].array.clone();
                let subst =
                    reference.subst.filter(|s| array.is_some_and(|array| array.owner == s.owner));
                match self.r.let_id(def, subst, span) {
                    Some(id) => {
                        self.reads.push(Read { what: ReadWhat::Let(id), span });
                        names::ident(&self.r.model.lets[id].local, span).to_token_stream()
                    }
                    None => self.nothing(span),
                }
            }
        }
    }

    fn default_param(&mut self, id: ParamId, reference: &Ref, e: &Expr) -> TokenStream {
        let param = &self.r.model.params[id];
        let field = names::ident(&param.field.to_string(), e.span());
        match (&param.len, &reference.entry) {
            (None, None) => field.to_token_stream(),
            (Some(_), Some(index)) => match self.index(index) {
                // An entry that is not there is reported when the model is built.
                Some(index) => {
                    quote!(#field.get((#index) as ::core::primitive::usize).copied().unwrap_or(::core::primitive::f64::NAN))
                }
                None => quote!(0.0),
            },
            (None, Some(index)) => {
                self.error(
                    index.span(),
                    format!("`{}` is a scalar and takes no index", param.name),
                );
                quote!(0.0)
            }
            (Some(_), None) => {
                self.error(
                    e.span(),
                    format!("`{}` is an array: index it, as in `{}[0]`", param.name, param.name),
                );
                quote!(0.0)
            }
        }
    }

    fn scalar_leaf(&mut self, what: What, id: ScalarId, reference: Ref) -> TokenStream {
        let span = reference.span;
        self.scalar_leaf_at(what, id, reference, span)
    }

    /// `read_at`: the token shown when the statement may not read this.
    fn scalar_leaf_at(
        &mut self,
        what: What,
        id: ScalarId,
        reference: Ref,
        read_at: Span,
    ) -> TokenStream {
        let span = reference.span;
        match self.place(&reference, self.r.model.scalars[id].len.clone(), span) {
            Some(index) => {
                let leaf = self.r.leaf(what, index);
                self.reads.push(Read { what: ReadWhat::Leaf(leaf), span: read_at });
                names::ident(&self.r.model.leaves[leaf].local, span).to_token_stream()
            }
            None => self.nothing(span),
        }
    }

    fn leaf(&mut self, leaf: LeafId, span: Span) -> TokenStream {
        self.reads.push(Read { what: ReadWhat::Leaf(leaf), span });
        names::ident(&self.r.model.leaves[leaf].local, span).to_token_stream()
    }

    /// Which entry of a declared array is meant.
    fn place(&self, reference: &Ref, len: Option<Len>, span: Span) -> Option<Index> {
        let array = self.r.scopes.list[reference.scope].array.as_ref();
        let implied = array.map(|array| match &reference.subst {
            Some(subst) if subst.owner == array.owner => subst.tokens.clone(),
            _ => array.index.to_token_stream(),
        });
        match (len, implied, &reference.entry) {
            (_, Some(index), None) => Some(Index::At(index)),
            (None, None, None) => Some(Index::None),
            (Some(len), None, Some(index)) => {
                if let (Some(len), Some(i)) = (len.literal, index::literal(index))
                    && (i < 0 || i >= len as i64)
                {
                    self.error(
                        index.span(),
                        format!(
                            "index {i} is out of range: the array has entries 0 to {}",
                            len as i64 - 1
                        ),
                    );
                    return None;
                }
                self.index(index).map(Index::At)
            }
            (Some(Len { literal: Some(n), .. }), None, None) => Some(Index::Whole(n)),
            (Some(_), None, None) => {
                self.error(span, "this is an array whose length is a run-time size: index it, as in `x[i]` inside `for i in 0..n { … }`");
                None
            }
            (_, _, Some(index)) => {
                self.error(index.span(), "this is a scalar and takes no index");
                None
            }
        }
    }

    /// The entry of a declared scalar that a statement is about: `x[i]` in `mass[x[i], x[i]]`.
    pub(super) fn target(
        &mut self,
        e: &Expr,
        wanted: &[ScalarKind],
        what: &str,
    ) -> Option<(Target, ScalarKind)> {
        let reference = self.reference(e);
        let Some(reference) = reference else {
            match e {
                Expr::Path(path) if path.path.get_ident().is_some() => {
                    let name = e.to_token_stream().to_string();
                    let hint = did_you_mean(&name, self.r.scopes.visible(self.scope));
                    self.error(e.span(), format!("unknown name `{name}`{hint}"));
                }
                _ => self.r.diag.push(syn::Error::new_spanned(e, format!("expected {what} here"))),
            }
            return None;
        };
        let Symbol::Scalar(id) = reference.symbol else {
            if reference.symbol != Symbol::Broken {
                let is = symbol_name(reference.symbol);
                self.r.diag.push(syn::Error::new_spanned(
                    e,
                    format!("expected {what}, but `{}` is {is}", e.to_token_stream()),
                ));
            }
            return None;
        };
        let scalar = &self.r.model.scalars[id];
        let kind = scalar.kind;
        if !wanted.contains(&kind) {
            self.r.diag.push(syn::Error::new_spanned(
                e,
                format!("expected {what}, but `{}` is {}", scalar.name, scalar_kind_name(kind)),
            ));
            return None;
        }
        let index = match self.place(&reference, scalar.len.clone(), e.span())? {
            Index::None => None,
            Index::At(tokens) => Some(tokens),
            _ => {
                self.r.diag.push(syn::Error::new_spanned(
                    e,
                    format!("`{}` is an array: index it", scalar.name),
                ));
                return None;
            }
        };
        Some((Target { scalar: id, index, span: e.span() }, kind))
    }

    // -- branches and blocks -------------------------------------------------------------------

    /// `if`, `match` and blocks: numbers alone in a branch become scalars, unless all are whole.
    fn branches(&mut self, e: &mut Expr) {
        let tail = match self.branch_is_int(e) {
            true => Tail::Whole,
            false if self.branch_is_scalar(e) || self.branch_is_list(e) => Tail::Converted,
            false => Tail::Scalar,
        };
        self.branches_to(e, tail);
    }

    fn branches_to(&mut self, e: &mut Expr, tail: Tail) {
        match e {
            Expr::If(branch) if tail == Tail::Converted && self.is_choice(branch) => {
                self.choice(e);
            }
            Expr::If(branch) => {
                let depth = self.locals.len();
                self.plain(&mut branch.cond);
                self.block(&mut branch.then_branch, tail);
                self.locals.truncate(depth);
                if let Some((_, other)) = &mut branch.else_branch {
                    self.branch(other, tail);
                }
            }
            Expr::Match(m) => {
                self.plain(&mut m.expr);
                for arm in &mut m.arms {
                    let depth = self.locals.len();
                    self.bind(&arm.pat, Local::Other);
                    if let Some((_, guard)) = &mut arm.guard {
                        self.plain(guard);
                    }
                    self.branch(&mut arm.body, tail);
                    self.locals.truncate(depth);
                }
            }
            Expr::Block(block) => self.block(&mut block.block, tail),
            _ => {}
        }
    }

    fn branch(&mut self, e: &mut Expr, tail: Tail) {
        match (e, tail) {
            (e @ (Expr::If(_) | Expr::Match(_) | Expr::Block(_)), tail) => {
                self.branches_to(e, tail);
            }
            (e, Tail::Whole | Tail::None) => self.plain(e),
            (e, Tail::Scalar) => self.scalar(e),
            (e, Tail::Converted) => self.converted(e),
        }
    }

    /// Whether the value of one branch is a scalar for certain: then those of the others are.
    fn branch_is_scalar(&self, e: &Expr) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            // Names that the block declares are not known here.
            Some(Stmt::Expr(e, None)) if block.stmts.len() == 1 => self.branch_is_scalar(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    || branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.branch_is_scalar(other))
            }
            Expr::Match(m) => {
                let simple = |arm: &&syn::Arm| !binds(&arm.pat);
                m.arms.iter().filter(simple).any(|arm| self.branch_is_scalar(&arm.body))
            }
            Expr::Block(block) => tail(&block.block),
            _ => self.is_scalar(e) || self.is_float(e),
        }
    }

    /// Whether the values of all branches are lists of scalars, written out.
    fn branch_is_list(&self, e: &Expr) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            Some(Stmt::Expr(e, None)) if block.stmts.len() == 1 => self.branch_is_list(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    && branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.branch_is_list(other))
            }
            Expr::Block(block) => tail(&block.block),
            Expr::Array(list) => list.elems.iter().all(|e| {
                self.is_scalar(e) || self.is_float(e) || self.is_int(e) || self.branch_is_list(e)
            }),
            _ => false,
        }
    }

    fn branch_is_int(&self, e: &Expr) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            Some(Stmt::Expr(e, None)) => self.branch_is_int(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    && branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.branch_is_int(other))
            }
            Expr::Match(m) => {
                !m.arms.is_empty() && m.arms.iter().all(|arm| self.branch_is_int(&arm.body))
            }
            Expr::Block(block) => tail(&block.block),
            _ => self.is_int(e),
        }
    }

    fn block(&mut self, block: &mut Block, tail: Tail) {
        let depth = self.locals.len();
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Local(local) => {
                    let mut kind = Local::Other;
                    if let Some(init) = &mut local.init {
                        let typed = matches!(local.pat, Pat::Type(_));
                        let int_type =
                            matches!(&local.pat, Pat::Type(typed) if is_int_type(&typed.ty));
                        if int_type
                            || (!typed
                                && self.is_int(&init.expr)
                                && !self.is_int_literal_division(&init.expr))
                        {
                            kind = Local::Int;
                        } else if matches!(&local.pat, Pat::Ident(name) if name.mutability.is_none())
                            && self.is_scalar(&init.expr)
                        {
                            kind = Local::Scalar;
                        } else if matches!(local.pat, Pat::Ident(_)) && self.is_vector(&init.expr) {
                            kind = Local::Vector;
                        }
                        if typed && self.mode != Mode::Function {
                            self.plain(&mut init.expr)
                        } else {
                            self.standing(&mut init.expr)
                        }
                        if let Some((_, diverge)) = &mut init.diverge {
                            self.plain(diverge);
                        }
                    }
                    self.bind(&local.pat, kind);
                }
                Stmt::Expr(e, None) => self.tail(e, tail),
                Stmt::Expr(e, _) => self.plain(e),
                Stmt::Item(_) | Stmt::Macro(_) if self.mode == Mode::Function => {}
                Stmt::Item(item) => {
                    let error = syn::Error::new_spanned(
                        &*item,
                        "items cannot be declared inside a model; declare them beside it",
                    );
                    self.r.diag.push(error);
                }
                Stmt::Macro(m) => {
                    let mut e =
                        Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: m.mac.clone() });
                    self.plain(&mut e);
                }
            }
        }
        self.locals.truncate(depth);
    }

    /// The last expression of a block. A loop or an assignment there has no value to lift.
    fn tail(&mut self, e: &mut Expr, tail: Tail) {
        match e {
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Assign(_) => self.plain(e),
            Expr::Binary(binary) if is_op_assign(&binary.op) => self.plain(e),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) if tail == Tail::Scalar => self.scalar(e),
            _ => self.branch(e, tail),
        }
    }

    fn bind(&mut self, pat: &Pat, kind: Local) {
        struct Names<'a>(&'a mut Vec<(String, Local)>, Local);
        impl Visit<'_> for Names<'_> {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                if !is_const(&pat.ident) {
                    self.0.push((pat.ident.to_string(), self.1));
                }
                visit::visit_pat_ident(self, pat);
            }
        }
        let kind = match pat {
            Pat::Type(typed) if is_int_type(&typed.ty) => Local::Int,
            _ => kind,
        };
        Names(&mut self.locals, kind).visit_pat(pat);
    }

    // -- what kind of number -------------------------------------------------------------------

    /// Whole numbers by their spelling: literals, sizes, loop indices, and arithmetic of these.
    fn is_int(&self, e: &Expr) -> bool {
        match e {
            Expr::Lit(lit) => matches!(&lit.lit, Lit::Int(int) if !int.suffix().starts_with('f')),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| match self.local(name) {
                Some(position) => self.locals[position].1 == Local::Int,
                None => match self.r.scopes.find(self.scope, &name.to_string()) {
                    Some((Symbol::Size(_) | Symbol::Index(_), _)) => true,
                    Some((Symbol::Let(def), _)) => self.r.whole_lets.contains(&def),
                    _ => false,
                },
            }),
            Expr::Paren(inner) => self.is_int(&inner.expr),
            Expr::Group(inner) => self.is_int(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_int(&unary.expr),
            Expr::Binary(binary) => {
                let integral = is_arithmetic(&binary.op)
                    || matches!(
                        binary.op,
                        BinOp::Shl(_)
                            | BinOp::Shr(_)
                            | BinOp::BitAnd(_)
                            | BinOp::BitOr(_)
                            | BinOp::BitXor(_)
                    );
                integral && self.is_int(&binary.left) && self.is_int(&binary.right)
            }
            Expr::Cast(cast) => is_int_type(&cast.ty),
            Expr::If(branch) => branch.else_branch.is_some() && self.branch_is_int(e),
            Expr::Match(_) => self.branch_is_int(e),
            Expr::Index(index) => self.is_int_array(&index.expr),
            Expr::MethodCall(call) => {
                call.method == "len" || call.method == "pow" && self.is_int(&call.receiver)
            }
            _ => false,
        }
    }

    /// An array of whole numbers.
    fn is_int_array(&self, e: &Expr) -> bool {
        match e {
            Expr::Array(array) => {
                !array.elems.is_empty()
                    && array.elems.iter().all(|e| self.is_int(e) || self.is_int_array(e))
            }
            Expr::Repeat(repeat) => self.is_int(&repeat.expr),
            Expr::Paren(inner) => self.is_int_array(&inner.expr),
            Expr::Group(inner) => self.is_int_array(&inner.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                self.local(name).is_none()
                    && match self.r.scopes.find(self.scope, &name.to_string()) {
                        Some((Symbol::Let(def), _)) => self.r.whole_arrays.contains(&def),
                        _ => false,
                    }
            }),
            _ => false,
        }
    }

    /// A scalar of the model for certain, by its spelling.
    fn is_scalar(&self, e: &Expr) -> bool {
        match e {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                if let Some(position) = self.local(name) {
                    return self.locals[position].1 == Local::Scalar;
                }
                if self.mode != Mode::Kernel {
                    return false;
                }
                let time = keyword::TIME.iter().any(|word| name == word);
                time || match self.r.scopes.find(self.scope, &name.to_string()) {
                    Some((Symbol::Scalar(id), scope)) => {
                        self.r.model.scalars[id].len.is_none()
                            || self.r.scopes.list[scope].array.is_some()
                    }
                    Some((Symbol::Param(id), scope)) => {
                        self.r.model.params[id].len.is_none()
                            || self.r.scopes.list[scope].array.is_some()
                    }
                    _ => false,
                }
            }),
            Expr::Paren(inner) => self.is_scalar(&inner.expr),
            Expr::Group(inner) => self.is_scalar(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_scalar(&unary.expr),
            Expr::Binary(binary) => {
                is_arithmetic(&binary.op)
                    && (self.is_scalar(&binary.left) || self.is_scalar(&binary.right))
                    && !self.is_vector(e)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                    let known = keyword::SCALAR_FUNCTIONS.iter().any(|known| name == known);
                    let shadowed = self.local(name).is_some()
                        || self.r.scopes.find(self.scope, &name.to_string()).is_some();
                    (known || name == keyword::DER)
                        && !shadowed
                        && call.args.first().is_some_and(|arg| self.is_scalar(arg))
                }),
                _ => false,
            },
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                self.is_scalar(&call.receiver)
                    && (keyword::SCALAR_FUNCTIONS.contains(&name.as_str())
                        || name == "powi"
                        || name == "powf")
            }
            _ => false,
        }
    }

    /// A constant by its spelling, `G`, `consts::G` or `Self::G`, that is none of the model's names.
    fn names_constant(&self, e: &Expr) -> bool {
        let Expr::Path(path) = e else { return false };
        if path.qself.is_some() {
            return false;
        }
        match path.path.get_ident() {
            Some(name) => {
                is_const(name)
                    && self.local(name).is_none()
                    && self.r.scopes.find(self.scope, &name.to_string()).is_none()
            }
            None => path.path.segments.last().is_some_and(|segment| is_const(&segment.ident)),
        }
    }

    /// `1/2` and the like, which Rust would make 0.
    fn is_int_literal_division(&self, e: &Expr) -> bool {
        fn division(e: &Expr) -> bool {
            match e {
                Expr::Paren(inner) => division(&inner.expr),
                Expr::Binary(binary) => {
                    matches!(binary.op, BinOp::Div(_))
                        || division(&binary.left)
                        || division(&binary.right)
                }
                _ => false,
            }
        }
        self.is_int(e) && division(e)
    }

    /// Plain floats by their spelling: literals, casts, `std::f64::consts`, and arithmetic of these
    /// with whole numbers.
    fn is_float(&self, e: &Expr) -> bool {
        match e {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Float(_) => true,
                Lit::Int(int) => int.suffix().starts_with('f'),
                _ => false,
            },
            Expr::Path(path) => {
                let mut segments = path.path.segments.iter();
                if let Some(name) = path.path.get_ident() {
                    return keyword::CONSTANTS.iter().any(|known| name == known)
                        && self.local(name).is_none()
                        && self.r.scopes.find(self.scope, &name.to_string()).is_none();
                }
                segments.any(|segment| segment.ident == "consts" || segment.ident == "f64")
            }
            Expr::Paren(inner) => self.is_float(&inner.expr),
            Expr::Group(inner) => self.is_float(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_float(&unary.expr),
            Expr::Binary(binary) if is_arithmetic(&binary.op) => {
                let (left, right) = (&binary.left, &binary.right);
                self.is_float(left) && (self.is_float(right) || self.is_int(right))
                    || self.is_int(left) && self.is_float(right)
            }
            Expr::Cast(cast) => cast.ty.to_token_stream().to_string() == "f64",
            Expr::MethodCall(call) => {
                self.is_float(&call.receiver)
                    && call.args.iter().all(|arg| self.is_float(arg) || self.is_int(arg))
                    && (keyword::SCALAR_FUNCTIONS.contains(&call.method.to_string().as_str())
                        && call.args.is_empty()
                        || call.method == "powi"
                        || call.method == "to_radians"
                        || call.method == "to_degrees")
            }
            _ => false,
        }
    }

    /// A range of whole numbers, or an iterator made from one.
    fn is_int_sequence(&self, e: &Expr) -> bool {
        match e {
            Expr::Range(range) => {
                [&range.start, &range.end].into_iter().flatten().all(|end| self.is_int(end))
            }
            Expr::Paren(inner) => self.is_int_sequence(&inner.expr),
            Expr::MethodCall(call) => {
                matches!(
                    call.method.to_string().as_str(),
                    "rev" | "step_by" | "filter" | "take" | "skip" | "into_iter"
                ) && self.is_int_sequence(&call.receiver)
            }
            _ => false,
        }
    }
}

/// What the value of a block is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// None is asked for.
    None,
    /// A whole number, as it is.
    Whole,
    /// Numbers alone become scalars.
    Scalar,
    /// A scalar, whatever number it was.
    Converted,
}

/// Whether a pattern declares names.
fn binds(pat: &Pat) -> bool {
    struct Names(bool);
    impl Visit<'_> for Names {
        fn visit_pat_ident(&mut self, _: &syn::PatIdent) {
            self.0 = true;
        }
    }
    let mut names = Names(false);
    names.visit_pat(pat);
    names.0
}

fn verbatim(tokens: TokenStream) -> Expr {
    Expr::Verbatim(tokens)
}

fn scalar_type(span: Span) -> Ident {
    format_ident!("{}", SCALAR, span = span)
}

fn first_slot(kind: ScalarKind) -> SlotKind {
    match kind {
        ScalarKind::Coord => SlotKind::Q,
        ScalarKind::State => SlotKind::X,
        ScalarKind::Variable => SlotKind::W,
        ScalarKind::Mode => SlotKind::Mode,
    }
}

pub(super) fn scalar_kind_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Coord => "a coordinate",
        ScalarKind::State => "a state",
        ScalarKind::Variable => "an algebraic variable",
        ScalarKind::Mode => "a mode, which events set",
    }
}

fn kind_name(kind: ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Holonomic => "holonomic",
        ConstraintKind::Nonholonomic => "nonholonomic",
    }
}

fn symbol_name(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::Size(_) => "a size",
        Symbol::Param(_) => "a parameter",
        Symbol::Scalar(_) => "declared otherwise",
        Symbol::Let(_) => "a `let`",
        Symbol::Index(_) => "a loop index",
        Symbol::Body(_) => "a body",
        Symbol::Broken => "not known",
    }
}

fn is_call_of(call: &ExprCall, name: &str) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name))
}

fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

fn is_op_assign(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
    )
}

fn is_int_type(ty: &syn::Type) -> bool {
    let text = ty.to_token_stream().to_string();
    matches!(
        text.as_str(),
        "usize" | "isize" | "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64"
    )
}
