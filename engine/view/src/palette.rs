//! Provides the colours of all pictures and pages, for light and dark backgrounds.
//!
//! The colours are CSS custom properties. `--ground` is the background; `--ink`, `--soft` and `--strong` are texts and
//! lines of normal, less and more weight; `--mark` draws attention. `--rule` and `--grid` separate, `--line` connects,
//! and `--rim` surrounds a `--node` or a `--leaf`.
//!
//! Not all programs that show SVG know custom properties. For these, pictures contain each colour for light backgrounds
//! literally, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::sync::LazyLock;

/// The number of colours that distinguish things: `--series-0`, `--series-1`, … Most people can tell them apart, also
/// with a colour vision deficiency. Those for light backgrounds are mostly the colours of Okabe and Ito.
pub const SERIES: usize = 7;

/// The number of colours that show an amount, from `--level-1` to `--level-8`; `--level-0` shows zero. The lightness
/// changes evenly: more is darker on a light background, and brighter on a dark one.
pub const LEVELS: usize = 8;

/// The style sheet of all pictures and pages: the colours, and the texts of pictures.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A colour as attributes of a shape, such as `fill="#222" style="fill:var(--ink)"` for `Fill("ink")`.
#[derive(Clone, Copy, Debug)]
pub struct Fill<'a>(
    /// The name of the custom property, without its hyphens.
    pub &'a str,
);

impl Display for Fill<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        let literal = light(name).unwrap_or("none");
        write!(f, "fill=\"{literal}\" style=\"fill:var(--{name})\"")
    }
}

/// A mixture of two colours as attributes of a shape. The style sheet of the picture mixes them by the property
/// `--share`, which the attributes set.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<'a> {
    /// The name of the custom property of the colour, without its hyphens.
    pub colour: &'a str,
    /// The name of the custom property of the colour that it is mixed with.
    pub ground: &'a str,
    /// The share of the colour in percent.
    pub percent: f64,
}

impl Display for Mixture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.percent.round().clamp(0.0, 100.0);
        let [colour, ground] = [self.colour, self.ground].map(|name| channels(light(name)));
        let mixed = std::array::from_fn::<f64, 3, _>(|index| {
            let whole = colour[index] * percent + ground[index] * (100.0 - percent);
            (whole / 100.0).round()
        });
        let [red, green, blue] = mixed.map(|channel| channel as u8);
        write!(
            f,
            "fill=\"#{red:02x}{green:02x}{blue:02x}\" style=\"--share:{percent:.0}%\""
        )
    }
}

/// The values of the custom properties on a light background, by their names without hyphens.
static LIGHT: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let light = STYLE.split("@media").next().unwrap_or_default();
    let definitions = light.split([';', '{', '\n']).map(str::trim);
    let properties = definitions.filter_map(|one| one.strip_prefix("--")?.split_once(':'));
    properties
        .map(|(name, value)| (name, value.trim()))
        .collect()
});

/// Returns the value of a custom property on a light background.
fn light(name: &str) -> Option<&'static str> {
    LIGHT.get(name).copied()
}

/// Returns red, green and blue of a colour such as `#fff` or `#0072b2`, from 0 to 255.
fn channels(colour: Option<&str>) -> [f64; 3] {
    let digits = colour.unwrap_or_default().trim_start_matches('#');
    let number = u32::from_str_radix(digits, 16).unwrap_or(0);
    let channel = |shift: u32| match digits.len() {
        3 => 17 * (number >> (shift / 2) & 0xf),
        _ => number >> shift & 0xff,
    };
    [16, 8, 0].map(|shift| f64::from(channel(shift)))
}

/// Adds the colours for light backgrounds to a style sheet of a picture: each declaration with custom properties
/// follows the same one with their values. A program that does not know custom properties ignores the second one.
pub(crate) fn with_literals(css: &str) -> String {
    let mut text = String::with_capacity(2 * css.len());
    for part in css.split_inclusive([';', '{', '}']) {
        let declaration = part.trim_end_matches([';', '}']).trim_start();
        let is_literal = declaration.starts_with("--") || !declaration.contains("var(--");
        // Mixtures are attributes of their shapes.
        if !is_literal && !declaration.contains("color-mix(") {
            let indent = &part[..part.len() - part.trim_start().len()];
            text += indent;
            text += &literal(declaration.trim_end());
            text += ";";
        }
        text += part;
    }
    text
}

/// Replaces custom properties by their values on a light background.
fn literal(declaration: &str) -> Cow<'_, str> {
    let Some((before, rest)) = declaration.split_once("var(--") else {
        return declaration.into();
    };
    let (property, after) = rest.split_once(')').unwrap_or((rest, ""));
    let (name, default) = property.split_once(',').unwrap_or((property, "none"));
    let value = light(name.trim()).unwrap_or(default.trim());
    format!("{before}{value}{}", literal(after)).into()
}

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
    fn colours_are_literal_for_programs_without_custom_properties() {
        let css = ".a { fill: var(--ground); stroke: var(--no, 2); --b: 1 }\n.c { fill: none; }\n";
        let expected = ".a { fill: #fff; fill: var(--ground); stroke: 2; stroke: var(--no, 2); --b: 1 }\n\
                        .c { fill: none; }\n";
        assert_eq!(with_literals(css), expected);
        let fill = Fill("series-0").to_string();
        assert_eq!(fill, "fill=\"#0072b2\" style=\"fill:var(--series-0)\"");
        let mixture = Mixture {
            colour: "series-0",
            ground: "ground",
            percent: 50.0,
        };
        let expected = "fill=\"#80b9d9\" style=\"--share:50%\"";
        assert_eq!(mixture.to_string(), expected);
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
