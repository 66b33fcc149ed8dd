//! Parses types of TSDL to field classes.

use std::sync::Arc;

use super::lexer::Token;
use super::numbers::Value;
use super::parser::Parser;
use crate::class::{
    ByteOrder, Class, Encoding, FieldClass, Float, Integer, Kind, Length, Location, Member, Origin,
    Scope, Text, VariantOption,
};
use crate::fault::Fault;
use crate::labels::{Label, Labels};
use crate::range::Range;

/// Words of C that may be parts of the name of a type.
const C_WORDS: [&str; 12] = [
    "const", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
    "_Bool", "_Complex",
];

/// Creates a class.
fn class(kind: Kind, alignment: u64) -> Result<Class, Fault> {
    FieldClass::new(kind, alignment).ok_or_else(|| Fault::new("types are nested too deeply"))
}

/// Returns the alignment that a value declares.
fn alignment(value: &Value) -> Result<u64, Fault> {
    let bits = value.unsigned()?;
    if bits.is_power_of_two() {
        return Ok(bits);
    }
    Err(Fault::new(format!(
        "expected an alignment that is a power of 2, found {bits}"
    )))
}

/// Returns the byte order that a value declares.
pub(super) fn byte_order(value: &Value) -> Result<ByteOrder, Fault> {
    match value.text().as_str() {
        "le" => Ok(ByteOrder::Little),
        "be" | "network" => Ok(ByteOrder::Big),
        "native" => Ok(ByteOrder::Native),
        other => Err(Fault::new(format!(
            "expected the byte order le or be, found '{other}'"
        ))),
    }
}

impl Parser {
    /// Parses a type without the name of what has this type.
    pub(super) fn specifier(&mut self) -> Result<Class, Fault> {
        while self.accept("const") {}
        let line = self.line();
        let parsed = match self.peek(0) {
            Token::Word(word) => match word.as_str() {
                "integer" if self.has_body(1) => self.integer(),
                "floating_point" if self.has_body(1) => self.float(),
                "string" => self.string(),
                "struct" => self.structure(),
                "variant" => self.variant(),
                "enum" => self.enumeration(),
                _ => self.named_type(),
            },
            _ => {
                let found = self.next();
                Err(self.unexpected("a type", &found))
            }
        };
        parsed.map_err(|fault| fault.at_line(line))
    }

    fn has_body(&self, skip: usize) -> bool {
        *self.peek(skip) == Token::Mark("{")
    }

    /// Parses the name of a type: a word, or several words of C.
    pub(super) fn type_name(&mut self) -> Result<String, Fault> {
        let mut name = self.word()?;
        let is_of_c = |word: &str| C_WORDS.contains(&word);
        if matches!(name.as_str(), "struct" | "variant" | "enum") {
            name = format!("{name} {}", self.word()?);
        } else if is_of_c(&name) {
            while let Token::Word(word) = self.peek(0)
                && is_of_c(word)
            {
                name = format!("{name} {}", self.word()?);
            }
        }
        while self.accept("*") {
            name.push_str(" *");
        }
        Ok(name)
    }

    fn named_type(&mut self) -> Result<Class, Fault> {
        let name = self.type_name()?;
        let class = self.scopes.find(&name).cloned();
        class.ok_or_else(|| Fault::new(format!("there is no type '{name}'")))
    }

    /// Parses attributes between braces.
    fn attributes(&mut self) -> Result<Vec<(String, Value)>, Fault> {
        let mut attributes = Vec::new();
        self.entries(|parser| {
            let name = parser.word()?;
            parser.expect("=")?;
            attributes.push((name, parser.value()?));
            parser.expect(";")
        })?;
        Ok(attributes)
    }

    fn integer(&mut self) -> Result<Class, Fault> {
        self.expect("integer")?;
        let mut integer = Integer {
            bits: 0,
            order: ByteOrder::Native,
            is_reversed: false,
            is_signed: false,
            is_boolean: false,
            is_character: false,
            labels: None,
            clock: None,
            roles: Vec::new(),
        };
        let mut declared = None;
        for (name, value) in self.attributes()? {
            match name.as_str() {
                "size" => match value.unsigned()? {
                    bits @ 1..=64 => integer.bits = bits as u32,
                    bits => {
                        let message = format!("expected an integer of 1 to 64 bits, found {bits}");
                        return Err(Fault::new(message));
                    }
                },
                "align" => declared = Some(alignment(&value)?),
                "signed" => integer.is_signed = value.truth()?,
                "byte_order" => integer.order = byte_order(&value)?,
                "encoding" => integer.is_character = is_text(&value)?,
                "map" => integer.clock = Some(mapped_clock(&value)?),
                // The base in which to show numbers, and attributes of other programs.
                _ => {}
            }
        }
        if integer.bits == 0 {
            return Err(Fault::new("an integer has no size"));
        }
        let usual = if integer.bits.is_multiple_of(8) { 8 } else { 1 };
        class(Kind::Integer(integer), declared.unwrap_or(usual))
    }

    fn float(&mut self) -> Result<Class, Fault> {
        self.expect("floating_point")?;
        let (mut exponent, mut mantissa, mut declared) = (0, 0, 1);
        let mut order = ByteOrder::Native;
        for (name, value) in self.attributes()? {
            match name.as_str() {
                "exp_dig" => exponent = value.unsigned()?,
                "mant_dig" => mantissa = value.unsigned()?,
                "align" => declared = alignment(&value)?,
                "byte_order" => order = byte_order(&value)?,
                _ => {}
            }
        }
        let bits = match (exponent, mantissa) {
            (5, 11) => 16,
            (8, 24) => 32,
            (11, 53) => 64,
            _ => {
                return Err(Fault::new(format!(
                    "expected a floating-point number of 16, 32 or 64 bits, found one with {exponent} bits for its exponent and {mantissa} for its mantissa"
                )));
            }
        };
        let float = Float {
            bits,
            order,
            is_reversed: false,
        };
        class(Kind::Float(float), declared)
    }

    fn string(&mut self) -> Result<Class, Fault> {
        self.expect("string")?;
        if self.is("{") {
            for (name, value) in self.attributes()? {
                if name == "encoding" {
                    is_text(&value)?;
                }
            }
        }
        let text = Text {
            length: None,
            encoding: Encoding::Utf8,
        };
        class(Kind::Text(text), 8)
    }

    /// Parses the name of a structure, variant or enumeration, if it has one, with its keyword.
    fn tag(&mut self, keyword: &str) -> Result<Option<String>, Fault> {
        self.expect(keyword)?;
        match self.peek(0) {
            Token::Word(name) => {
                let name = format!("{keyword} {name}");
                self.next();
                Ok(Some(name))
            }
            _ => Ok(None),
        }
    }

    /// Gives a type its name, or returns the type that has this name if there is no body.
    fn tagged(
        &mut self,
        tag: Option<String>,
        parse: impl FnOnce(&mut Self) -> Result<Class, Fault>,
    ) -> Result<Class, Fault> {
        if !self.is("{") && !self.is(":") {
            let name = tag.unwrap_or_default();
            let class = self.scopes.find(&name).cloned();
            return class.ok_or_else(|| Fault::new(format!("there is no type '{name}'")));
        }
        let class = parse(self)?;
        if let Some(name) = tag {
            self.define(&name, class.clone())?;
        }
        Ok(class)
    }

    /// Defines a type.
    pub(super) fn define(&mut self, name: &str, class: Class) -> Result<(), Fault> {
        if self.scopes.define(name, class) {
            return Ok(());
        }
        Err(Fault::new(format!("the type '{name}' is defined twice")).at_line(self.line()))
    }

    fn structure(&mut self) -> Result<Class, Fault> {
        let tag = self.tag("struct")?;
        self.tagged(tag, |parser| {
            let members = parser.members()?;
            let mut declared = 1;
            if parser.accept("align") {
                parser.expect("(")?;
                declared = alignment(&parser.value()?)?;
                parser.expect(")")?;
            }
            class(Kind::Structure(members), declared)
        })
    }

    /// Parses the members of a structure or the options of a variant.
    fn members(&mut self) -> Result<Vec<Member>, Fault> {
        let mut members: Vec<Member> = Vec::new();
        let mut names = std::collections::HashSet::new();
        self.entries(|parser| {
            if parser.type_definition()? {
                return Ok(());
            }
            let base = parser.specifier()?;
            loop {
                let (name, class) = parser.declarator(base.clone())?;
                if !names.insert(name.clone()) {
                    return Err(Fault::new(format!("there are two fields '{name}'")));
                }
                members.push(Member { name, class });
                if !parser.accept(",") {
                    return parser.expect(";");
                }
            }
        })?;
        Ok(members)
    }

    /// Parses a name with lengths of arrays, such as `values[3][length]`, which has elements of a type.
    pub(super) fn declarator(&mut self, base: Class) -> Result<(Arc<str>, Class), Fault> {
        let mut base = base;
        if self.is("*") {
            return Err(Fault::new("there is no type for pointers"));
        }
        let name: Arc<str> = self.word()?.into();
        let mut lengths = Vec::new();
        while self.accept("[") {
            lengths.push(self.length()?);
            self.expect("]")?;
        }
        for length in lengths.into_iter().rev() {
            let kind = match &base.kind {
                // Characters that follow each other without gaps.
                Kind::Integer(integer)
                    if integer.is_character && integer.bits == 8 && base.alignment == 8 =>
                {
                    Kind::Text(Text {
                        length: Some(length),
                        encoding: Encoding::Utf8,
                    })
                }
                _ => Kind::Array {
                    length,
                    element: base.clone(),
                },
            };
            base = class(kind, base.alignment)?;
        }
        Ok((name, base))
    }

    fn length(&mut self) -> Result<Length, Fault> {
        match self.value()? {
            Value::Name(path) => Ok(Length::Dynamic(location(&path))),
            other => Ok(Length::Static(other.unsigned()?)),
        }
    }

    fn variant(&mut self) -> Result<Class, Fault> {
        let tag = self.tag("variant")?;
        let mut selector = None;
        if self.accept("<") {
            match self.value()? {
                Value::Name(path) => selector = Some(location(&path)),
                other => {
                    return Err(Fault::new(format!(
                        "expected a field, found {}",
                        other.text()
                    )));
                }
            }
            self.expect(">")?;
        }
        let has_body = self.is("{");
        let parsed = self.tagged(tag, |parser| {
            let members = parser.members()?;
            let option = |member: Member| VariantOption {
                name: member.name,
                ranges: None,
                class: member.class,
            };
            let options = members.into_iter().map(option).collect();
            let kind = Kind::Variant {
                selector: selector.clone().unwrap_or_else(|| location("")),
                options,
            };
            class(kind, 1)
        })?;
        match (&parsed.kind, selector) {
            // A variant that was declared without its selector.
            (Kind::Variant { options, .. }, Some(selector)) if !has_body => class(
                Kind::Variant {
                    selector,
                    options: options.clone(),
                },
                1,
            ),
            _ => Ok(parsed),
        }
    }

    fn enumeration(&mut self) -> Result<Class, Fault> {
        let tag = self.tag("enum")?;
        self.tagged(tag, |parser| {
            let container = if parser.accept(":") {
                parser.nested(Self::specifier)?
            } else {
                let int = parser.scopes.find("int").cloned();
                int.ok_or_else(|| {
                    Fault::new("an enumeration has no type, and there is no type 'int'")
                })?
            };
            let Kind::Integer(integer) = &container.kind else {
                return Err(Fault::new("the type of an enumeration is no integer"));
            };
            let mut integer = integer.clone();
            let labels = Labels::new(parser.labels()?, integer.is_signed, false);
            integer.labels = Some(Arc::new(labels));
            class(Kind::Integer(integer), container.alignment)
        })
    }

    /// Parses the labels of an enumeration.
    fn labels(&mut self) -> Result<Vec<Label>, Fault> {
        let mut entries: Vec<Label> = Vec::new();
        let mut next = 0_i128;
        self.block(|parser| {
            while !parser.is("}") {
                let label = match parser.next() {
                    Token::Word(label) | Token::Text(label) => label,
                    other => return Err(parser.unexpected("a label", &other)),
                };
                let (mut low, mut high) = (next, next);
                if parser.accept("=") {
                    low = parser.value()?.number()?;
                    high = low;
                    if parser.accept("...") {
                        high = parser.value()?.number()?;
                    }
                }
                if low > high {
                    return Err(Fault::new(format!(
                        "the range of the label '{label}' is empty"
                    )));
                }
                next = high + 1;
                entries.push((label.into(), vec![Range { low, high }]));
                if !parser.accept(",") {
                    break;
                }
            }
            Ok(())
        })?;
        Ok(entries)
    }
}

/// Returns whether an encoding is one of texts.
fn is_text(value: &Value) -> Result<bool, Fault> {
    match value.text().to_ascii_lowercase().as_str() {
        "utf8" | "utf-8" | "ascii" => Ok(true),
        "none" => Ok(false),
        other => Err(Fault::new(format!(
            "expected the encoding UTF8, ASCII or none, found '{other}'"
        ))),
    }
}

/// Returns the name of the clock in `clock.NAME.value`.
fn mapped_clock(value: &Value) -> Result<Arc<str>, Fault> {
    let text = value.text();
    let name = text.strip_prefix("clock.").unwrap_or(&text);
    let name = name.strip_suffix(".value").unwrap_or(name);
    if name.is_empty() {
        return Err(Fault::new("expected a clock, as in clock.NAME.value"));
    }
    Ok(name.into())
}

/// Returns the location of a field from its path, which may begin with the name of a scope.
fn location(path: &str) -> Location {
    const SCOPES: [(&str, Scope); 6] = [
        ("trace.packet.header.", Scope::PacketHeader),
        ("stream.packet.context.", Scope::PacketContext),
        ("stream.event.header.", Scope::EventHeader),
        ("stream.event.context.", Scope::CommonContext),
        ("event.context.", Scope::SpecificContext),
        ("event.fields.", Scope::Payload),
    ];
    let found = SCOPES
        .iter()
        .find_map(|(prefix, scope)| Some((path.strip_prefix(prefix)?, Origin::Scope(*scope))));
    let (path, origin) = found.unwrap_or((path, Origin::Nearest));
    Location {
        origin,
        path: path.split('.').map(|name| Some(name.into())).collect(),
    }
}
