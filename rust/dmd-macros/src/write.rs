// SPDX-License-Identifier: BSD-3-Clause

//! Writes the implementation.

use crate::field::{Field, How};
use crate::item::{Item, Variant};
use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

/// Code whose tokens all lie at `span`, so that the compiler shows its errors there.
fn code_at(text: &str, span: Span) -> TokenStream {
    let tokens: TokenStream = text.parse().unwrap_or_default();
    let span = Span::call_site().located_at(span);
    let at = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), code_at(&group.stream().to_string(), span)).into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(at).collect()
}

fn code(text: &str) -> TokenStream {
    code_at(text, Span::call_site())
}

fn group(delimiter: Delimiter, tokens: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    TokenTree::from(Group::new(delimiter, tokens.into_iter().collect())).into()
}

/// The field's part of the sum; `variable` is a reference to it.
fn term(field: &Field, variable: &str) -> TokenStream {
    let call = match &field.how {
        How::Ignore => return TokenStream::new(),
        How::With(function) => format!("+ {}({}, ops)", function, variable),
        How::Measure(policy) => format!(
            "+ ::dmd::derived::measured_field::<::dmd::{}, _>(ops, {})",
            policy.unwrap_or("Owned"),
            variable
        ),
    };
    code_at(&call, field.span)
}

/// `Variant { 0: field_0, name: field_1, } => 0 + ... ,`
fn arm(variant: &Variant) -> TokenStream {
    let path = match &variant.name {
        Some(name) => format!("Self::{}", name),
        None => "Self".to_string(),
    };
    let mut pattern = Vec::new();
    let mut sum = vec![code("0usize")];
    for (i, field) in variant.fields.iter().enumerate() {
        let is_used = !matches!(field.how, How::Ignore);
        let variable = if is_used { format!("field_{}", i) } else { "_".to_string() };
        pattern.push(code(&format!("{}: {},", field.name, variable)));
        sum.push(term(field, &variable));
    }
    [code(&path), group(Delimiter::Brace, pattern), code("=>"), group(Delimiter::Brace, sum)]
        .into_iter()
        .collect()
}

/// The type parameters that some measured field has in its type must be measurable.
fn conditions(item: &Item) -> TokenStream {
    let is_measured = |word: &String| {
        let has = |f: &Field| matches!(f.how, How::Measure(_)) && f.words.contains(word);
        item.variants.iter().flat_map(|v| &v.fields).any(has)
    };
    let mut all = item.conditions.clone();
    if !all.is_empty() && !all.to_string().trim_end().ends_with(',') {
        all.extend(code(","));
    }
    for name in item.parameters.iter().filter_map(|p| p.type_name.as_ref()) {
        if is_measured(name) {
            all.extend(code(&format!("{}: ::dmd::DmdSizeOf,", name)));
        }
    }
    all
}

pub(crate) fn implementation(item: &Item) -> TokenStream {
    let mut all = code("#[automatically_derived] impl<");
    for parameter in &item.parameters {
        all.extend(parameter.declaration.clone());
        all.extend(code(","));
    }
    all.extend(code("DmdPolicy> ::dmd::DmdSizeOf<DmdPolicy> for"));
    all.extend([TokenTree::from(item.name.clone())]);
    all.extend(code("<"));
    for parameter in &item.parameters {
        all.extend(parameter.name.clone());
        all.extend(code(","));
    }
    all.extend(code("> where"));
    all.extend(conditions(item));
    let arms: Vec<TokenStream> = item.variants.iter().map(arm).collect();
    let subject = if item.is_enum && arms.is_empty() { "match *self" } else { "match self" };
    let body = [code(subject), group(Delimiter::Brace, arms)];
    let function = [
        code("#[inline] #[allow(unused_variables, clippy::all)]"),
        code("fn dmd_size_of(&self, ops: &mut ::dmd::Ops) -> usize"),
        group(Delimiter::Brace, body),
    ];
    all.extend(group(Delimiter::Brace, function));
    all
}
