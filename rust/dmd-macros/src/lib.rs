// SPDX-License-Identifier: BSD-3-Clause

//! `#[derive(DmdSizeOf)]`. Use it through the crate `dmd`, which describes it.
//!
//! It reads the tokens of the type itself (`item`), and writes the implementation (`write`), so that
//! it depends on no other crate.

mod field;
mod item;
mod write;

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Implements `dmd::DmdSizeOf`: the sum of what the fields own.
///
/// Attributes of fields:
///
/// - `#[dmd(ignore = "reason")]`: not measured, for this reason.
/// - `#[dmd(with = "function")]`: measured by `fn(&Field, &mut dmd::Ops) -> usize`, for types of
///   other crates.
/// - `#[dmd(shared)]`, `#[dmd(conditional)]`, `#[dmd(unconditional)]`: how each `Rc` and `Arc` in
///   the field counts. See `dmd::DmdSizeOf`.
#[proc_macro_derive(DmdSizeOf, attributes(dmd))]
pub fn derive_dmd_size_of(input: TokenStream) -> TokenStream {
    match item::read(input) {
        Ok(item) => write::implementation(&item),
        Err(error) => error.into_tokens(),
    }
}

/// What is wrong with a type, and where.
struct Error {
    span: Span,
    message: String,
}

impl Error {
    fn new(span: Span, message: impl Into<String>) -> Error {
        Error { span, message: message.into() }
    }

    /// A call of `compile_error!` at that place.
    fn into_tokens(self) -> TokenStream {
        let mut text = Literal::string(&format!("dmd: {}", self.message));
        text.set_span(self.span);
        let mut argument = Group::new(Delimiter::Parenthesis, TokenTree::from(text).into());
        argument.set_span(self.span);
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.span);
        let mut end = Punct::new(';', Spacing::Alone);
        end.set_span(self.span);
        [TokenTree::from(Ident::new("compile_error", self.span)), bang.into(), argument.into(), end.into()]
            .into_iter()
            .collect()
    }
}
