//! Converts field classes from JSON.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::object::{Object, integer};
use crate::class::{
    ByteOrder, Class, Encoding, FieldClass, Float, Integer, Kind, Length, Location, Member, Origin,
    Role, Scope, Text, VariableInteger, VariantOption,
};
use crate::fault::Fault;
use crate::labels::Labels;
use crate::range::Range;

/// Field classes by the names of their aliases.
#[derive(Default)]
pub(super) struct Aliases(HashMap<String, Class>);

fn class(kind: Kind, alignment: u64) -> Result<Class, Fault> {
    FieldClass::new(kind, alignment)
        .ok_or_else(|| Fault::new("field classes are nested too deeply"))
}

impl Aliases {
    /// Adds an alias.
    pub(super) fn add(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        let name = fragment.text("name")?.unwrap_or_default().to_owned();
        let class = self.class(fragment.require("field-class")?)?;
        if self.0.insert(name.clone(), class).is_some() {
            return Err(Fault::new(format!("there are two aliases \"{name}\"")));
        }
        Ok(())
    }

    /// Returns the structure that a property of a fragment has.
    pub(super) fn root(&self, fragment: Object<'_>, name: &str) -> Result<Option<Class>, Fault> {
        let Some(value) = fragment.get(name) else {
            return Ok(None);
        };
        let class = self.class(value)?;
        if !matches!(class.kind, Kind::Structure(_)) {
            return Err(Fault::new(format!("expected a structure as \"{name}\"")));
        }
        Ok(Some(class))
    }

    /// Returns the class that an object or the name of an alias describes.
    fn class(&self, value: &Value) -> Result<Class, Fault> {
        if let Some(alias) = value.as_str() {
            let class = self.0.get(alias).cloned();
            return class.ok_or_else(|| Fault::new(format!("there is no field class \"{alias}\"")));
        }
        let object = Object::new("field-class", value)?;
        let name = object.text("type")?.unwrap_or_default();
        let name = name_of_enumeration(name).unwrap_or(name);
        let alignment = alignment(object)?;
        match name {
            "fixed-length-bit-array"
            | "fixed-length-bit-map"
            | "fixed-length-boolean"
            | "fixed-length-unsigned-integer"
            | "fixed-length-signed-integer" => {
                class(Kind::Integer(fixed_integer(name, object)?), alignment)
            }
            "fixed-length-floating-point-number" => class(Kind::Float(float(object)?), alignment),
            "variable-length-unsigned-integer" | "variable-length-signed-integer" => {
                let is_signed = name == "variable-length-signed-integer";
                let integer = VariableInteger {
                    is_signed,
                    labels: labels(object, "mappings", is_signed, false)?,
                    roles: roles(object)?,
                };
                class(Kind::VariableInteger(integer), 8)
            }
            "null-terminated-string" => text(object, None),
            "static-length-string" | "dynamic-length-string" => text(object, Some(length(object)?)),
            "static-length-blob" | "dynamic-length-blob" => {
                let roles = object.array("roles")?;
                let kind = Kind::Bytes {
                    length: length(object)?,
                    is_uuid: roles.iter().any(|role| role == "metadata-stream-uuid"),
                };
                class(kind, 8)
            }
            "structure" => {
                let members = object.array("member-classes")?;
                let members = members.iter().map(|member| self.member(member));
                class(
                    Kind::Structure(members.collect::<Result<_, _>>()?),
                    alignment,
                )
            }
            "static-length-array" | "dynamic-length-array" => {
                let kind = Kind::Array {
                    length: length(object)?,
                    element: self.class(object.require("element-field-class")?)?,
                };
                class(kind, alignment)
            }
            "optional" => {
                let ranges = object.get("selector-field-ranges");
                let kind = Kind::Optional {
                    selector: location(object, "selector-field-location")?,
                    ranges: ranges.map(range_set).transpose()?,
                    content: self.class(object.require("field-class")?)?,
                };
                class(kind, 1)
            }
            "variant" => {
                let options = object.array("options")?;
                let options = options.iter().map(|option| self.option(option));
                let kind = Kind::Variant {
                    selector: location(object, "selector-field-location")?,
                    options: options.collect::<Result<_, _>>()?,
                };
                class(kind, 1)
            }
            other => Err(Fault::new(format!(
                "there is no type of fields \"{other}\""
            ))),
        }
    }

    fn member(&self, value: &Value) -> Result<Member, Fault> {
        let object = Object::new("member-classes", value)?;
        Ok(Member {
            name: object.text("name")?.unwrap_or_default().into(),
            class: self.class(object.require("field-class")?)?,
        })
    }

    fn option(&self, value: &Value) -> Result<VariantOption, Fault> {
        let object = Object::new("options", value)?;
        Ok(VariantOption {
            name: object.text("name")?.unwrap_or_default().into(),
            ranges: Some(range_set(object.require("selector-field-ranges")?)?),
            class: self.class(object.require("field-class")?)?,
        })
    }
}

/// Returns the type of an integer that drafts of the format call an enumeration.
fn name_of_enumeration(name: &str) -> Option<&'static str> {
    Some(match name {
        "fixed-length-unsigned-enumeration" => "fixed-length-unsigned-integer",
        "fixed-length-signed-enumeration" => "fixed-length-signed-integer",
        "variable-length-unsigned-enumeration" => "variable-length-unsigned-integer",
        "variable-length-signed-enumeration" => "variable-length-signed-integer",
        _ => return None,
    })
}

fn alignment(object: Object<'_>) -> Result<u64, Fault> {
    let name = if object.get("alignment").is_some() {
        "alignment"
    } else {
        "minimum-alignment"
    };
    let bits = object.unsigned(name)?.unwrap_or(1);
    if bits.is_power_of_two() {
        return Ok(bits);
    }
    Err(Fault::new(format!(
        "expected a power of 2 as \"{name}\", found {bits}"
    )))
}

fn byte_order(object: Object<'_>) -> Result<ByteOrder, Fault> {
    match object.text("byte-order")? {
        Some("little-endian") => Ok(ByteOrder::Little),
        Some("big-endian") => Ok(ByteOrder::Big),
        other => {
            let found = other.unwrap_or("nothing");
            let message =
                format!("expected little-endian or big-endian as \"byte-order\", found {found}");
            Err(Fault::new(message))
        }
    }
}

/// Returns whether the order of bits is not the usual one for the byte order.
fn is_reversed(object: Object<'_>, order: ByteOrder) -> Result<bool, Fault> {
    match object.text("bit-order")? {
        None => Ok(false),
        Some("first-to-last") => Ok(order == ByteOrder::Big),
        Some("last-to-first") => Ok(order == ByteOrder::Little),
        Some(other) => Err(Fault::new(format!(
            "expected first-to-last or last-to-first as \"bit-order\", found {other}"
        ))),
    }
}

fn bits(object: Object<'_>) -> Result<u32, Fault> {
    match object.unsigned("length")? {
        Some(bits @ 1..=64) => Ok(bits as u32),
        other => {
            let found = other.map_or("nothing".to_owned(), |bits| bits.to_string());
            Err(Fault::new(format!(
                "expected 1 to 64 bits as \"length\" of a field, found {found}"
            )))
        }
    }
}

fn fixed_integer(name: &str, object: Object<'_>) -> Result<Integer, Fault> {
    let order = byte_order(object)?;
    let is_map = name == "fixed-length-bit-map";
    let is_signed = name == "fixed-length-signed-integer";
    let labels = if is_map {
        labels(object, "flags", false, true)?
    } else {
        labels(object, "mappings", is_signed, false)?
    };
    Ok(Integer {
        bits: bits(object)?,
        order,
        is_reversed: is_reversed(object, order)?,
        is_signed,
        is_boolean: name == "fixed-length-boolean",
        is_character: false,
        labels,
        clock: None,
        roles: roles(object)?,
    })
}

fn float(object: Object<'_>) -> Result<Float, Fault> {
    let order = byte_order(object)?;
    let bits = bits(object)?;
    if !matches!(bits, 16 | 32 | 64) {
        return Err(Fault::new(format!(
            "expected a floating-point number of 16, 32 or 64 bits, found one of {bits}"
        )));
    }
    Ok(Float {
        bits,
        order,
        is_reversed: is_reversed(object, order)?,
    })
}

fn text(object: Object<'_>, length: Option<Length>) -> Result<Class, Fault> {
    let encoding = match object.text("encoding")? {
        None | Some("utf-8") => Encoding::Utf8,
        Some("utf-16le") => Encoding::Utf16(ByteOrder::Little),
        Some("utf-16be") => Encoding::Utf16(ByteOrder::Big),
        Some("utf-32le") => Encoding::Utf32(ByteOrder::Little),
        Some("utf-32be") => Encoding::Utf32(ByteOrder::Big),
        Some(other) => return Err(Fault::new(format!("there is no encoding \"{other}\""))),
    };
    class(Kind::Text(Text { length, encoding }), 8)
}

/// Returns the length that an object declares, or the field that has it.
fn length(object: Object<'_>) -> Result<Length, Fault> {
    match object.unsigned("length")? {
        Some(length) => Ok(Length::Static(length)),
        None => Ok(Length::Dynamic(location(object, "length-field-location")?)),
    }
}

/// Returns the location of a field: an object with its origin and its path, or, in drafts of the format, an array of both.
fn location(object: Object<'_>, name: &str) -> Result<Location, Fault> {
    let value = object.require(name)?;
    let (origin, path) = match value.as_array().map(Vec::as_slice) {
        Some([Value::String(origin), path @ ..]) => (Some(&**origin), path),
        _ => {
            let location = Object::new(name, value)?;
            (location.text("origin")?, location.array("path")?)
        }
    };
    let origin = match origin {
        None => Origin::Parent,
        Some("packet-header") => Origin::Scope(Scope::PacketHeader),
        Some("packet-context") => Origin::Scope(Scope::PacketContext),
        Some("event-record-header") => Origin::Scope(Scope::EventHeader),
        Some("event-record-common-context") => Origin::Scope(Scope::CommonContext),
        Some("event-record-specific-context") => Origin::Scope(Scope::SpecificContext),
        Some("event-record-payload") => Origin::Scope(Scope::Payload),
        Some(other) => return Err(Fault::new(format!("there is no origin \"{other}\""))),
    };
    let path = path
        .iter()
        .map(|name| name.as_str().map(Arc::from))
        .collect();
    Ok(Location { origin, path })
}

fn range_set(value: &Value) -> Result<Vec<Range>, Fault> {
    let range = |value: &Value| match value.as_array().map(Vec::as_slice) {
        Some([low, high]) => Ok(Range {
            low: integer("range", low)?,
            high: integer("range", high)?,
        }),
        _ => Err(Fault::new("expected a range of two integers")),
    };
    let ranges = value
        .as_array()
        .ok_or_else(|| Fault::new("expected an array of ranges"))?;
    ranges.iter().map(range).collect()
}

fn labels(
    object: Object<'_>,
    name: &str,
    is_signed: bool,
    are_flags: bool,
) -> Result<Option<Arc<Labels>>, Fault> {
    /// The greatest number of flags of a bit map, all of which are compared with each number.
    const MOST_FLAGS: usize = 1024;
    let Some(labels) = object.object(name)? else {
        return Ok(None);
    };
    let entry = |(label, ranges): (&str, &Value)| Ok((label.into(), range_set(ranges)?));
    let entries = labels.properties().map(entry);
    let entries = entries.collect::<Result<Vec<_>, Fault>>()?;
    if are_flags && entries.len() > MOST_FLAGS {
        return Err(Fault::new(format!(
            "expected at most {MOST_FLAGS} flags, found {}",
            entries.len()
        )));
    }
    if entries.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Labels::new(entries, is_signed, are_flags))))
}

fn roles(object: Object<'_>) -> Result<Vec<Role>, Fault> {
    let role = |value: &Value| {
        Some(match value.as_str()? {
            "packet-magic-number" => Role::Magic,
            "data-stream-class-id" => Role::StreamClass,
            "data-stream-id" => Role::Stream,
            "packet-total-length" => Role::PacketBits,
            "packet-content-length" => Role::ContentBits,
            "packet-end-default-clock-timestamp" => Role::PacketEnd,
            "discarded-event-record-counter-snapshot" => Role::Discarded,
            "packet-sequence-number" => Role::Sequence,
            "event-record-class-id" => Role::EventClass,
            "default-clock-timestamp" => Role::Clock,
            _ => return None,
        })
    };
    Ok(object.array("roles")?.iter().filter_map(role).collect())
}
