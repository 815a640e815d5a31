// SPDX-License-Identifier: BSD-3-Clause

//! Reads a field and its attribute.

use crate::item::{attributes, is_punct, list, skip_visibility};
use crate::Error;
use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

pub(crate) struct Field {
    pub(crate) name: TokenTree, /* or its number */
    pub(crate) span: Span,      /* of its type */
    pub(crate) how: How,
    pub(crate) words: Vec<String>, /* the identifiers in its type */
}

pub(crate) enum How {
    Measure(Option<&'static str>), /* a policy, or that of values with one owner */
    With(String),
    Ignore,
}

const WORDS: &str =
    "dmd knows ignore = \"reason\", with = \"function\", shared, conditional and unconditional";

/// The text of a string literal.
fn text_of(token: Option<&TokenTree>) -> Option<String> {
    let text = token?.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_string())
}

/// Reads what is in the parentheses of `#[dmd(...)]`.
fn how(name: &str, group: &Group) -> Result<How, Error> {
    let entries = list(group.stream());
    let tokens: Vec<TokenTree> = match entries.as_slice() {
        [one] => one.clone().into_iter().collect(),
        _ => {
            return Err(Error::new(
                group.span(),
                format!("field `{}`: one word is expected; {}", name, WORDS),
            ))
        }
    };
    let has_value = tokens.get(1).map_or(false, |t| is_punct(t, '='));
    let value = if has_value { text_of(tokens.get(2)) } else { None };
    let word = tokens[0].to_string();
    match (word.as_str(), tokens.len(), value) {
        ("ignore", 3, Some(reason)) if !reason.trim().is_empty() => Ok(How::Ignore),
        ("ignore", _, _) => {
            let what = "say why it is not measured: #[dmd(ignore = \"reason\")]";
            Err(Error::new(tokens[0].span(), format!("field `{}`: {}", name, what)))
        }
        ("with", 3, Some(function)) => Ok(How::With(function)),
        ("shared", 1, _) => Ok(How::Measure(Some("Shared"))),
        ("conditional", 1, _) => Ok(How::Measure(Some("Conditional"))),
        ("unconditional", 1, _) => Ok(How::Measure(Some("Unconditional"))),
        _ => Err(Error::new(tokens[0].span(), format!("field `{}`: {}", name, WORDS))),
    }
}

/// The attribute of dmd among these.
fn attribute(name: &str, all: &[Group]) -> Result<Option<How>, Error> {
    let mut found = None;
    for attribute in all {
        let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
        if !matches!(tokens.first(), Some(TokenTree::Ident(i)) if i.to_string() == "dmd") {
            continue;
        }
        if found.is_some() {
            return Err(Error::new(attribute.span(), format!("field `{}` has two attributes #[dmd]", name)));
        }
        match tokens.get(1) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                found = Some(how(name, group)?)
            }
            _ => return Err(Error::new(attribute.span(), format!("field `{}`: {}", name, WORDS))),
        }
    }
    Ok(found)
}

fn collect_words(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => words.push(ident.to_string()),
            TokenTree::Group(group) => collect_words(group.stream(), words),
            _ => {}
        }
    }
}

/// The pointers with several owners are recognised by name, for a better message than the
/// compiler's.
fn check_owners(name: &str, span: Span, words: &[String]) -> Result<How, Error> {
    match words.iter().find(|word| *word == "Rc" || *word == "Arc" || *word == "Weak") {
        None => Ok(How::Measure(None)),
        Some(word) if word == "Weak" => Err(Error::new(
            span,
            format!(
                "field `{}` has a Weak: write #[dmd(ignore = \"does not own it\")], or #[dmd(shared)] or \
                 #[dmd(conditional)], as its owners do, to measure the block that it keeps after they are gone",
                name
            ),
        )),
        Some(word) => Err(Error::new(
            span,
            format!(
                "field `{}` has an {}, which may have several owners: write #[dmd(shared)] if each of them measures \
                 it, #[dmd(conditional)] if the first one does, #[dmd(unconditional)] if only this one does, or \
                 #[dmd(ignore = \"who measures it\")]",
                name, word
            ),
        )),
    }
}

/// number: that of a field without a name.
pub(crate) fn read(tokens: TokenStream, number: Option<usize>) -> Result<Field, Error> {
    let mut tokens = tokens.into_iter().peekable();
    let found = attributes(&mut tokens);
    skip_visibility(&mut tokens);
    let name: TokenTree = match number {
        Some(number) => proc_macro::Literal::usize_unsuffixed(number).into(),
        None => {
            let name = tokens.next();
            tokens.next(); /* the colon */
            name.ok_or_else(|| Error::new(Span::call_site(), "expected a field"))?
        }
    };
    let span = tokens.peek().map_or_else(Span::call_site, TokenTree::span);
    let mut words = Vec::new();
    collect_words(tokens.collect(), &mut words);
    let text = name.to_string();
    let how = match attribute(&text, &found)? {
        Some(how) => how,
        None => check_owners(&text, span, &words)?,
    };
    Ok(Field { name, span, how, words })
}
