//! Fits texts into the columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::style::Terminal;

/// Formats a sentence for a result: wrapped to the width of a terminal, or as one line in a file or a pipe.
pub fn headline(text: &str, terminal: Terminal) -> String {
    match terminal.width {
        Some(width) => filled(text, width).join("\n"),
        None => text.to_owned(),
    }
}

/// Wraps a text into lines of at most `width` columns. A word that is longer gets its own line.
pub fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Shortens a text to at most `width` columns of a terminal. A text that is cut ends with an ellipsis.
pub fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_with_words() {
        assert_eq!(filled("one two three", 7), ["one two", "three"]);
        assert_eq!(filled("a longer word", 4), ["a", "longer", "word"]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(shortened("通信時間", 8), "通信時間");
        assert_eq!(shortened("通信時間", 6), "通信…");
    }
}
