//! Provides the colours of all pictures and pages, for light and dark backgrounds.
//!
//! The colours are CSS custom properties. `--ground` is the background; `--ink`, `--soft` and `--strong` are texts and
//! lines of normal, less and more weight; `--mark` draws attention. `--rule` and `--grid` separate, `--line` connects,
//! and `--rim` surrounds a `--node` or a `--leaf`.

/// The number of colours that distinguish things: `--series-0`, `--series-1`, … Most people can tell them apart, also
/// with a colour vision deficiency. Those for light backgrounds are mostly the colours of Okabe and Ito.
pub const SERIES: usize = 7;

/// The number of colours that show an amount, from `--level-1` to `--level-8`; `--level-0` shows zero. The lightness
/// changes evenly: more is darker on a light background, and brighter on a dark one.
pub const LEVELS: usize = 8;

/// The style sheet of all pictures and pages: the colours, and the texts of pictures.
pub(crate) const STYLE: &str = include_str!("style.css");

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the custom properties that a part of the style sheet defines, in order.
    fn properties(part: &str) -> Vec<&str> {
        let definitions = part.split([';', '{', '\n']).map(str::trim);
        let names = definitions.filter_map(|one| one.split_once(':'));
        let names = names.map(|(name, _)| name);
        names.filter(|name| name.starts_with("--")).collect()
    }

    #[test]
    fn light_and_dark_define_the_same_colours() {
        let (light, dark) = STYLE.split_once("@media").unwrap();
        let light = properties(light);
        assert_eq!(light, properties(dark));
        let numbered = |prefix| light.iter().filter(|name| name.starts_with(prefix)).count();
        assert_eq!(numbered("--series-"), SERIES);
        assert_eq!(numbered("--level-"), LEVELS + 1);
    }
}
