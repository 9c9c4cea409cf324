//! Units: `[m]`, `[N/m]`, `[kg*m^2]`, `[1/s]`, `[-]`. Carried as text, checked for form.

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, Token, parenthesized, token};

/// The text of a unit as written, without blanks.
pub struct Unit(pub String);

impl Parse for Unit {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Unit(String::new()));
        }
        if input.peek(Token![-]) && input.peek2(syn::parse::End) || input.peek(Token![%]) {
            let text = if input.parse::<Option<Token![%]>>()?.is_some() { "%" } else { "" };
            if text.is_empty() {
                input.parse::<Token![-]>()?;
            }
            end(input)?;
            return Ok(Unit(text.into()));
        }
        let mut text = String::new();
        product(input, &mut text)?;
        end(input)?;
        Ok(Unit(text))
    }
}

fn end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { Err(bad(input)) }
}

fn bad(input: ParseStream<'_>) -> syn::Error {
    input.error(
        "this is not a unit; write symbols with `*`, `/` and whole powers, as in `[kg*m^2/s]`, \
         or `[-]` for a pure number",
    )
}

fn product(input: ParseStream<'_>, text: &mut String) -> syn::Result<()> {
    factor(input, text)?;
    loop {
        if input.parse::<Option<Token![*]>>()?.is_some() {
            text.push('*');
        } else if input.parse::<Option<Token![.]>>()?.is_some() {
            text.push('.');
        } else if input.parse::<Option<Token![/]>>()?.is_some() {
            text.push('/');
        } else {
            return Ok(());
        }
        factor(input, text)?;
    }
}

fn factor(input: ParseStream<'_>, text: &mut String) -> syn::Result<()> {
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        text.push('(');
        product(&content, text)?;
        end(&content)?;
        text.push(')');
    } else if input.peek(LitInt) {
        let one: LitInt = input.parse()?;
        if one.to_string() != "1" {
            return Err(syn::Error::new(
                one.span(),
                "a unit has no number but 1, as in `[1/s]`; scale the value instead",
            ));
        }
        text.push('1');
    } else if input.peek(Ident::peek_any) {
        text.push_str(&input.call(Ident::parse_any)?.to_string());
    } else {
        return Err(bad(input));
    }
    if input.parse::<Option<Token![^]>>()?.is_some() {
        text.push('^');
        if input.parse::<Option<Token![-]>>()?.is_some() {
            text.push('-');
        }
        if !input.peek(LitInt) {
            return Err(bad(input));
        }
        text.push_str(&input.parse::<LitInt>()?.to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn units_are_carried_as_text() {
        for (written, text) in [
            ("m", "m"),
            ("N / m", "N/m"),
            ("kg*m^2", "kg*m^2"),
            ("1/s^2", "1/s^2"),
            ("s^-1", "s^-1"),
            ("N.m/(rad/s)", "N.m/(rad/s)"),
            ("-", ""),
            ("%", "%"),
            ("", ""),
        ] {
            assert_eq!(syn::parse_str::<Unit>(written).unwrap().0, text);
        }
        for bad in ["2*m", "m+s", "kg m", "m^x", "m/"] {
            assert!(syn::parse_str::<Unit>(bad).is_err(), "{bad}");
        }
    }
}
