//! Writes numbers as C expressions.

use std::fmt::Write;

use foldtrace_logical::model::Number;

/// Returns a number as an expression of type `int`. `base` is the text for its base.
pub(super) fn int(number: &Number, base: &str) -> String {
    let text = expression(number, base);
    if number.growth.is_empty() {
        text
    } else {
        format!("(int) ({text})")
    }
}

/// Returns a number as an expression.
pub(super) fn long(number: &Number) -> String {
    expression(number, &number.base.to_string())
}

fn expression(number: &Number, base: &str) -> String {
    let is_hidden = number.base == 0 && !number.growth.is_empty() && base == "0";
    let mut text = if is_hidden { "" } else { base }.to_owned();
    for &(depth, by) in &number.growth {
        let sign = match (by < 0, text.is_empty()) {
            (true, true) => "-",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        text.push_str(sign);
        if by.unsigned_abs() != 1 {
            let _ = write!(text, "{} * ", by.unsigned_abs());
        }
        let _ = write!(text, "i{depth}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let number = |base, growth: &[(u16, i64)]| Number {
            base,
            growth: growth.to_vec(),
        };
        assert_eq!(long(&number(7, &[])), "7");
        assert_eq!(long(&number(0, &[(1, 1)])), "i1");
        assert_eq!(
            long(&number(10, &[(0, -2), (2, 3)])),
            "10 - 2 * i0 + 3 * i2"
        );
        assert_eq!(
            int(&number(0, &[(0, 1)]), "CHILD_0"),
            "(int) (CHILD_0 + i0)"
        );
    }
}
