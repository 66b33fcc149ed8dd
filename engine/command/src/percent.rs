//! Parses percentages, which read the same in every option: a number and the sign `%`.

/// Parses a percentage, such as `5%`, and returns it as a fraction.
///
/// # Errors
/// Returns a message for users if the text has no `%`, or is not a number of at least 0.
pub fn percentage(text: &str) -> Result<f64, String> {
    let Some(number) = text.trim().strip_suffix('%') else {
        return Err("a percentage ends with %, such as 10%".to_owned());
    };
    match number.trim_end().parse::<f64>() {
        Ok(percent) if percent >= 0.0 && percent.is_finite() => Ok(percent / 100.0),
        _ => Err(format!("'{text}' is not a percentage")),
    }
}

/// Parses a percentage of a whole, from `0%` to `100%`, and returns it as a fraction.
///
/// # Errors
/// Returns a message for users if the text is not such a percentage.
pub fn share(text: &str) -> Result<f64, String> {
    match percentage(text)? {
        share @ 0.0..=1.0 => Ok(share),
        _ => Err("a share is between 0% and 100%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_view::units::in_percent;

    use super::*;

    #[test]
    fn a_percentage_has_its_sign() {
        assert_eq!(percentage("10%"), Ok(0.1));
        assert_eq!(percentage(" 250 % "), Ok(2.5));
        for text in ["0.1", "10", "%", "-1%", "NaN%", "inf%", "x%"] {
            assert!(percentage(text).is_err(), "{text}");
        }
        assert_eq!(share("100%"), Ok(1.0));
        assert!(share("100.1%").is_err());
    }

    #[test]
    fn a_percentage_is_shown_as_it_was_given() {
        let large = (0..=1000).map(|number| f64::from(number) / 8.0);
        for percent in large.chain([1e-7, 0.3e-9, 99.999_999_9]) {
            assert_eq!(
                in_percent(percentage(&format!("{percent}%")).unwrap()),
                percent
            );
        }
    }
}
