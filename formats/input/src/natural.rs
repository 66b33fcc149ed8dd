//! Compares names that contain numbers.

use std::cmp::Ordering;

/// Compares two names, treating the numbers in them as numbers: `2.trace` comes before `10.trace`.
#[must_use]
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (digits_left, digits_right) = (leading_digits(left), leading_digits(right));
        if !digits_left.is_empty() && !digits_right.is_empty() {
            let (left_number, right_number) = (
                digits_left.trim_start_matches('0'),
                digits_right.trim_start_matches('0'),
            );
            let order = (left_number.len().cmp(&right_number.len()))
                .then_with(|| left_number.cmp(right_number));
            if order != Ordering::Equal {
                return order;
            }
            left = &left[digits_left.len()..];
            right = &right[digits_right.len()..];
            continue;
        }
        let (mut chars_left, mut chars_right) = (left.chars(), right.chars());
        match (chars_left.next(), chars_right.next()) {
            (None, None) => return a.cmp(b),
            (x, y) if x == y => (left, right) = (chars_left.as_str(), chars_right.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

fn leading_digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["10.trace", "2.trace", "a.trace", "2b.trace", "02.trace"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            ["02.trace", "2.trace", "2b.trace", "10.trace", "a.trace"]
        );
    }
}
