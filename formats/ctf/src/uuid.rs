//! UUIDs of traces.

use crate::description::Uuid;

/// Returns the UUID that a text has.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    let digits: String = text.chars().filter(|&c| c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok();
    number.filter(|_| digits.len() == 32).map(u128::to_be_bytes)
}

/// Returns a UUID as a text.
pub(crate) fn uuid_text(uuid: &Uuid) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(*uuid));
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_uuids() {
        let text = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";
        assert_eq!(
            parse_uuid(text).map(|uuid| uuid_text(&uuid)).as_deref(),
            Some(text)
        );
        assert_eq!(parse_uuid("2a6422d0"), None);
    }
}
