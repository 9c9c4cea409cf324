//! Expressions: finds what they read and prepares them for dual numbers.
//!
//! The expression stays the user's Rust; only three things change. Names of the model become
//! locals of the kernel (recorded as reads). Whole numbers in arithmetic with scalars become
//! floats. A plain number standing alone where a scalar is wanted (a branch of an `if`, an entry
//! of an array, an argument) is lifted. What the walk cannot follow is rejected: a read it does
//! not see would be a missing derivative.

mod blocks;
mod choice;
mod der;
mod kinds;
mod look_up;
mod reference;
mod tx;
mod vector;

use super::index::is_const;
use super::resolver::{Resolver, Subst};
use super::scope::{LetDefId, ScopeId, Symbol};
use crate::diag::{did_you_mean, nearest};
use crate::ir::*;
use crate::keyword;
use kinds::is_spelled;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
pub(super) use reference::scalar_kind_name;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Lit, LitFloat, Pat, UnOp};
use tx::{Local, Tail, is_arithmetic, is_op_assign, scalar_type, verbatim};
pub(super) use tx::{Mode, Tx};

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
        let whole = tx.is_int(value) && !tx.is_int_division(value);
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
    /// The value of a whole statement: a scalar.
    pub(super) fn root(&mut self, e: &mut Expr) {
        if self.is_vector(e) {
            self.error(
                e.span(),
                "a scalar is wanted here, and this is a vector: name one of its entries, as in `v[0]`, or take `norm(v)` or `dot(v, axis)`",
            );
        }
        match e {
            // Whatever its branches call, they are scalars.
            Expr::If(_) if !self.branch_is_int(e) => self.branches_to(e, Tail::Converted),
            _ => self.scalar(e),
        }
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
        if self.is_float(e) || self.is_int_division(e) {
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
        if self.mode == Mode::Kernel && self.is_whole(e) && !self.is_int_division(e) {
            return self.of_its_type(e);
        }
        let whole = self.is_int(e);
        let array = self.is_int_array(e);
        let lifted = self.is_float(e) || self.is_int_division(e) || self.names_constant(e);
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

    /// Whether this is a whole number, whatever decides which.
    fn is_whole(&self, e: &Expr) -> bool {
        match e {
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.branch_is_whole(e),
            Expr::Paren(inner) => self.is_whole(&inner.expr),
            _ => self.is_int(e),
        }
    }

    /// Whether a whole number may be another type than the indices and sizes are, which it is computed from: there
    /// `i - 1` may be negative.
    fn is_computed(&self, e: &Expr) -> bool {
        match e {
            Expr::Paren(inner) => self.is_computed(&inner.expr),
            Expr::Group(inner) => self.is_computed(&inner.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let found = self.r.scopes.find(self.scope, &name.to_string());
                let is = matches!(found, Some((Symbol::Size(_) | Symbol::Index(_), _)));
                self.local(name).is_some() || !is
            }),
            _ => !is_spelled(e),
        }
    }

    /// A whole number as i64, in which `i - 1` is -1 where i is 0.
    pub(super) fn whole(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(inner) => self.whole(&mut inner.expr),
            Expr::Group(inner) => self.whole(&mut inner.expr),
            _ if is_spelled(e) => {}
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.whole(&mut unary.expr),
            Expr::Binary(binary) => {
                self.whole(&mut binary.left);
                self.whole(&mut binary.right);
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.branches_to(e, Tail::Whole),
            _ => {
                self.plain(e);
                *e = verbatim(quote_spanned!(e.span()=> __mbd::whole(#e)));
            }
        }
    }

    /// A value in a place that says of what type a whole number is: an argument, a `let` with a type.
    pub(super) fn of_its_type(&mut self, e: &mut Expr) {
        if self.mode == Mode::Function || !self.is_whole(e) || !self.is_computed(e) {
            return self.plain(e);
        }
        self.whole(e);
        *e = verbatim(quote_spanned!(e.span()=> __mbd::fit(#e)));
    }

    /// The index of an array of Rust's, or a range of them.
    fn place_in_array(&mut self, e: &mut Expr) {
        if self.mode == Mode::Function {
            return self.plain(e);
        }
        if let Expr::Range(range) = e {
            let ends = [&mut range.start, &mut range.end].into_iter().flatten();
            return ends.for_each(|end| self.place_in_array(end));
        }
        if !self.is_whole(e) || !self.is_computed(e) {
            return self.plain(e);
        }
        self.whole(e);
        *e = verbatim(quote_spanned!(e.span()=> __mbd::fit::<::core::primitive::usize>(#e)));
    }

    /// `k -= i` of whole numbers of any types.
    fn whole_assigned(&mut self, binary: &syn::ExprBinary) -> Expr {
        self.assigned(&binary.left);
        let (mut target, mut left, mut right) =
            (binary.left.clone(), binary.left.clone(), binary.right.clone());
        self.plain(&mut target);
        self.whole(&mut left);
        self.whole(&mut right);
        let span = binary.op.span();
        let value = match &binary.op {
            BinOp::AddAssign(_) => quote_spanned!(span=> #left + (#right)),
            BinOp::SubAssign(_) => quote_spanned!(span=> #left - (#right)),
            BinOp::MulAssign(_) => quote_spanned!(span=> #left * (#right)),
            BinOp::DivAssign(_) => quote_spanned!(span=> #left / (#right)),
            _ => quote_spanned!(span=> #left % (#right)),
        };
        verbatim(quote_spanned!(span=> #target = __mbd::fit(#value)))
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
        if let Expr::Cast(_)
        | Expr::Closure(_)
        | Expr::If(_)
        | Expr::Match(_)
        | Expr::Block(_)
        | Expr::Let(_)
        | Expr::ForLoop(_)
        | Expr::While(_)
        | Expr::Loop(_)
        | Expr::MethodCall(_)
        | Expr::Path(_) = e
        {
            self.r.linked_types(e, self.scope);
        }
        match e {
            Expr::Lit(_) | Expr::Verbatim(_) | Expr::Continue(_) => {}
            Expr::Path(path) => self.path(path),
            Expr::Binary(binary)
                if self.mode != Mode::Function
                    && is_op_assign(&binary.op)
                    && self.is_int(&binary.left)
                    && self.is_int(&binary.right)
                    && !is_spelled(&binary.right) =>
            {
                *e = self.whole_assigned(binary);
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary)
                if self.mode != Mode::Function
                    && matches!(unary.op, UnOp::Neg(_))
                    && self.is_int(&unary.expr) =>
            {
                self.whole(&mut unary.expr);
            }
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
                    self.entry(index);
                    self.plain(&mut index.expr);
                    self.place_in_array(&mut index.index);
                } else {
                    let tokens = self.multiplier_row(index);
                    *e = verbatim(tokens);
                }
            }
            Expr::Array(array) => self.elements(array.elems.iter_mut().collect(), true),
            Expr::Tuple(tuple) => self.elements(tuple.elems.iter_mut().collect(), false),
            Expr::Repeat(repeat) => {
                self.standing(&mut repeat.expr);
                if !is_spelled(&repeat.len) {
                    self.plain(&mut repeat.len);
                }
            }
            Expr::Struct(s) => {
                s.path = self.r.linked(&s.path, self.scope);
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
                let mut ends: Vec<_> =
                    [&mut range.start, &mut range.end].into_iter().flatten().collect();
                let whole = self.mode != Mode::Function
                    && ends.iter().all(|end| self.is_int(end))
                    && ends.iter().any(|end| self.is_computed(end));
                for end in &mut ends {
                    if whole { self.whole(end) } else { self.plain(end) }
                }
            }
            Expr::Assign(assign) => {
                self.assigned(&assign.left);
                self.plain(&mut assign.left);
                match self.mode != Mode::Function && self.is_int(&assign.right) {
                    true => self.of_its_type(&mut assign.right),
                    false => self.standing(&mut assign.right),
                }
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
        // Of one division of whole numbers all are real numbers.
        let all_int = all_int && !list.iter().any(|e| self.is_int_division(e));
        let computed = self.mode != Mode::Function && list.iter().any(|e| self.is_computed(e));
        for e in &mut list {
            if all_int && computed {
                self.whole(e)
            } else if all_int {
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
            BinOp::Mul(op) if matches!(&*binary.right, Expr::Unary(right) if matches!(right.op, UnOp::Deref(_))) =>
            {
                self.error(
                    op.span,
                    "`**` is not a power in Rust: write `sq(x)`, `x.powi(3)` or `x.powf(1.5)`",
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
            // Indices and numbers alone are compared as they are written.
            op if ints
                && self.mode != Mode::Function
                && (is_arithmetic(op)
                    || self.is_computed(&binary.left)
                    || self.is_computed(&binary.right)) =>
            {
                self.whole(&mut binary.left);
                self.whole(&mut binary.right);
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
                let component = self.r.scopes.list[self.scope].component.is_some();
                if component && self.r.links(self.scope) {
                    self.error(span, "`Self` is the mechanism, which a public component does not know; name a constant of the module");
                    return;
                }
                let mut model = self.r.model.name.clone();
                model.set_span(span);
                path.path.segments[0].ident = model;
                return;
            }
            if path.qself.is_none() {
                path.path = self.r.linked(&path.path, self.scope);
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
            let (name, linked) = (name.clone(), self.r.linked(&path.path, self.scope));
            // Those of other blocks are looked up there.
            if linked.get_ident().is_some() {
                self.r.model.constants.push(Constant { name, nearest });
            }
            path.path = linked;
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
            if name == keyword::DER || name == keyword::STILL_DER {
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
        if self.mode == Mode::Default
            && let Some(name) = &name
            && keyword::PLAIN_FUNCTIONS.iter().any(|plain| name == plain)
        {
            *call.func = syn::parse_quote_spanned!(name.span()=> ::core::primitive::f64::#name);
            call.args.iter_mut().for_each(|arg| self.scalar(arg));
            return;
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
            && [keyword::BY_NAME, keyword::OTHER_NAMES].concat().iter().any(|known| name == known)
            && self.local(name).is_none()
            && !matches!(
                self.r.scopes.find(self.scope, &name.to_string()),
                Some((Symbol::Let(_), _))
            )
            // Those of other blocks are looked up there.
            && self.r.scopes.list[self.scope].block == 0
            && !self.is_the_users(name)
        {
            self.r.model.functions.insert(name.to_string());
        }
        if self.r.scopes.list[self.scope].block == 0 {
            self.look_up(call);
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
        let library = self.is_the_librarys(call);
        self.linked_call(call, name.as_ref());
        for (i, arg) in call.args.iter_mut().enumerate() {
            match last.as_str() {
                "powi" if i == 1 => self.of_its_type(arg),
                "powf" if i == 1 => self.operand(arg),
                "powi" | "powf" => self.scalar(arg),
                // Of two arguments and more the others are scalars like the first.
                _ if known && several => self.converted(arg),
                _ if known => self.scalar(arg),
                _ if closure || keyword::OTHER_NAMES.contains(&last.as_str()) => self.standing(arg),
                _ if library && self.is_int(arg) => self.scalar(arg),
                _ => self.argument(arg),
            }
        }
    }

    /// A function of the component's own module or crate.
    fn linked_call(&self, call: &mut syn::ExprCall, name: Option<&Ident>) {
        let Expr::Path(func) = &mut *call.func else { return };
        if func.qself.is_some() {
            return;
        }
        let linked = match name {
            None => Some(self.r.linked(&func.path, self.scope)),
            Some(name) => {
                let found = self.r.scopes.find(self.scope, &name.to_string());
                let known = self.local(name).is_some() || found.is_some();
                self.r.linked_function(name, self.scope).filter(|_| !known)
            }
        };
        if let Some(linked) = linked {
            func.path = linked;
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
                _ if name == "powi" || name == "pow" => self.of_its_type(arg),
                _ if name == "powf" => self.operand(arg),
                _ if keyword::SCALAR_FUNCTIONS.contains(&name.as_str()) => self.scalar(arg),
                _ if self.mode == Mode::Kernel && self.is_int(arg) => self.of_its_type(arg),
                Expr::Array(_) => self.argument(arg),
                _ => self.standing(arg),
            }
        }
    }
}
