// SPDX-License-Identifier: BSD-3-Clause

//! Reads a struct or an enum.

use crate::field::{self, Field};
use crate::Error;
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use std::iter::Peekable;

pub(crate) type Tokens = Peekable<proc_macro::token_stream::IntoIter>;

pub(crate) struct Item {
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) conditions: TokenStream, /* those of the where clause */
    pub(crate) is_enum: bool,
    pub(crate) variants: Vec<Variant>, /* of a struct: one, with the name `Self` */
}

/// A parameter of a generic type.
pub(crate) struct Parameter {
    pub(crate) declaration: TokenStream, /* without a default */
    pub(crate) name: TokenStream,
    pub(crate) type_name: Option<String>, /* of a type; not of a lifetime or a constant */
}

pub(crate) struct Variant {
    pub(crate) name: Option<Ident>,
    pub(crate) fields: Vec<Field>,
}

pub(crate) fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == c)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(i) if i.to_string() == word)
}

/// Takes the attributes at the front, and returns the contents of their brackets.
pub(crate) fn attributes(tokens: &mut Tokens) -> Vec<Group> {
    let mut found = Vec::new();
    while tokens.next_if(|t| is_punct(t, '#')).is_some() {
        if let Some(TokenTree::Group(group)) = tokens.next() {
            found.push(group);
        }
    }
    found
}

pub(crate) fn skip_visibility(tokens: &mut Tokens) {
    if tokens.next_if(|t| is_word(t, "pub")).is_some() {
        tokens.next_if(|t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis));
    }
}

/// Takes tokens up to one for which `is_end` holds outside of all angle brackets.
pub(crate) fn until(tokens: &mut Tokens, is_end: impl Fn(&TokenTree) -> bool) -> TokenStream {
    let mut depth = 0;
    let mut taken = Vec::new();
    let mut after_minus = false; /* the > of -> closes nothing */
    while let Some(token) = tokens.peek() {
        if depth == 0 && is_end(token) {
            break;
        }
        if is_punct(token, '<') {
            depth += 1;
        } else if is_punct(token, '>') && !after_minus {
            depth -= 1;
        }
        after_minus = is_punct(token, '-');
        taken.extend(tokens.next());
    }
    taken.into_iter().collect()
}

/// Splits at the commas outside of all angle brackets.
pub(crate) fn list(tokens: TokenStream) -> Vec<TokenStream> {
    let mut tokens = tokens.into_iter().peekable();
    let mut parts = Vec::new();
    while tokens.peek().is_some() {
        parts.push(until(&mut tokens, |t| is_punct(t, ',')));
        tokens.next();
    }
    parts
}

fn parameter(tokens: TokenStream) -> Parameter {
    let mut tokens = tokens.into_iter().peekable();
    let outer = attributes(&mut tokens);
    let _ = outer;
    let declaration = until(&mut tokens, |t| is_punct(t, '='));
    let mut front = declaration.clone().into_iter();
    let mut name: Vec<TokenTree> = front.next().into_iter().collect();
    let is_lifetime = name.first().map_or(false, |t| is_punct(t, '\''));
    let is_constant = name.first().map_or(false, |t| is_word(t, "const"));
    if is_lifetime {
        name.extend(front.next());
    } else if is_constant {
        name = front.next().into_iter().collect();
    }
    let name: TokenStream = name.into_iter().collect();
    let is_type = !is_lifetime && !is_constant;
    Parameter { declaration, type_name: is_type.then(|| name.to_string()), name }
}

fn parameters(tokens: &mut Tokens) -> Vec<Parameter> {
    if tokens.next_if(|t| is_punct(t, '<')).is_none() {
        return Vec::new();
    }
    let inner = until(tokens, |t| is_punct(t, '>'));
    tokens.next();
    list(inner).into_iter().map(parameter).collect()
}

fn conditions(tokens: &mut Tokens) -> TokenStream {
    if tokens.next_if(|t| is_word(t, "where")).is_none() {
        return TokenStream::new();
    }
    until(tokens, |t| {
        is_punct(t, ';') || matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)
    })
}

/// Takes the fields' group, if there is one.
fn fields(tokens: &mut Tokens) -> Result<Vec<Field>, Error> {
    match tokens.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::Bracket => {
            let group = group.clone();
            tokens.next();
            let has_names = group.delimiter() == Delimiter::Brace;
            list(group.stream())
                .into_iter()
                .enumerate()
                .map(|(i, field)| field::read(field, if has_names { None } else { Some(i) }))
                .collect()
        }
        _ => Ok(Vec::new()),
    }
}

fn variant(tokens: TokenStream) -> Result<Variant, Error> {
    let mut tokens = tokens.into_iter().peekable();
    attributes(&mut tokens);
    match tokens.next() {
        Some(TokenTree::Ident(name)) => Ok(Variant { name: Some(name), fields: fields(&mut tokens)? }),
        _ => Err(Error::new(Span::call_site(), "expected a variant of the enum")),
    }
}

pub(crate) fn read(input: TokenStream) -> Result<Item, Error> {
    let mut tokens = input.into_iter().peekable();
    attributes(&mut tokens);
    skip_visibility(&mut tokens);
    let kind = tokens.next().map(|t| t.to_string()).unwrap_or_default();
    let name = match tokens.next() {
        Some(TokenTree::Ident(name)) if kind == "struct" || kind == "enum" => name,
        Some(token) => {
            let message = "only structs and enums can derive DmdSizeOf: implement it by hand";
            return Err(Error::new(token.span(), message));
        }
        None => return Err(Error::new(Span::call_site(), "expected a struct or an enum")),
    };
    let parameters = parameters(&mut tokens);
    let mut conditions_of_item = conditions(&mut tokens);
    let is_enum = kind == "enum";
    let variants = if is_enum {
        match tokens.next() {
            Some(TokenTree::Group(group)) => {
                list(group.stream()).into_iter().map(variant).collect::<Result<_, _>>()?
            }
            _ => return Err(Error::new(name.span(), "expected the variants of the enum")),
        }
    } else {
        vec![Variant { name: None, fields: fields(&mut tokens)? }]
    };
    if conditions_of_item.is_empty() {
        conditions_of_item = conditions(&mut tokens); /* those of a tuple struct come last */
    }
    Ok(Item { name, parameters, conditions: conditions_of_item, is_enum, variants })
}
