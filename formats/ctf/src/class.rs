//! Field classes: how fields are encoded, independently of the language of the metadata.

use std::sync::Arc;

use crate::labels::Labels;
use crate::range::Range;

/// A shared field class. Metadata may use the same class many times.
pub(crate) type Class = Arc<FieldClass>;

/// The greatest depth to which field classes are nested.
const MOST_LEVELS: u16 = 64;

/// A field class.
#[derive(Debug)]
pub(crate) struct FieldClass {
    pub kind: Kind,
    /// The alignment of a field in bits, a power of two.
    pub alignment: u64,
    /// The number of levels of classes within this one, and itself.
    levels: u16,
}

impl FieldClass {
    /// Creates a class with an alignment of its own. Structures and arrays are also aligned as their parts are. Returns `None`
    /// if classes are nested too deeply.
    pub(crate) fn new(kind: Kind, alignment: u64) -> Option<Class> {
        let (mut inner_alignment, mut inner_levels) = (1, 0);
        let mut include = |class: &Class, aligns: bool| {
            inner_levels = inner_levels.max(class.levels);
            if aligns {
                inner_alignment = inner_alignment.max(class.alignment);
            }
        };
        match &kind {
            Kind::Structure(members) => members.iter().for_each(|it| include(&it.class, true)),
            Kind::Array { element, .. } => include(element, true),
            Kind::Variant { options, .. } => {
                options.iter().for_each(|it| include(&it.class, false))
            }
            Kind::Optional { content, .. } => include(content, false),
            _ => {}
        }
        let levels = inner_levels + 1;
        (levels <= MOST_LEVELS).then(|| {
            Arc::new(Self {
                kind,
                alignment: alignment.max(inner_alignment),
                levels,
            })
        })
    }
}

impl FieldClass {
    /// Returns the names of the members of a structure.
    pub(crate) fn member_names(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Structure(members) => members.iter().map(|member| &*member.name).collect(),
            _ => Vec::new(),
        }
    }
}

/// What a field class describes.
#[derive(Debug)]
pub(crate) enum Kind {
    Integer(Integer),
    /// An integer in LEB128.
    VariableInteger(VariableInteger),
    Float(Float),
    Text(Text),
    /// Bytes without a meaning; the flag is set for the UUID of the metadata.
    Bytes {
        length: Length,
        is_uuid: bool,
    },
    Array {
        length: Length,
        element: Class,
    },
    Structure(Vec<Member>),
    Variant {
        selector: Location,
        options: Options,
    },
    Optional {
        selector: Location,
        /// The values for which there is content; `None` if the selector is a boolean.
        ranges: Option<Vec<Range>>,
        content: Class,
    },
}

/// The order of bytes, and of bits in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
    /// The order that the trace declares.
    Native,
}

/// An integer with a fixed number of bits, at most 64.
#[derive(Clone, Debug)]
pub(crate) struct Integer {
    pub bits: u32,
    pub order: ByteOrder,
    /// Whether the bits are in the opposite order of the usual one.
    pub is_reversed: bool,
    pub is_signed: bool,
    pub is_boolean: bool,
    /// Whether arrays of these integers are texts.
    pub is_character: bool,
    pub labels: Option<Arc<Labels>>,
    /// The name of the clock whose value this is.
    pub clock: Option<Arc<str>>,
    pub roles: Vec<Role>,
}

/// An integer with a variable number of bits, at most 64.
#[derive(Clone, Debug)]
pub(crate) struct VariableInteger {
    pub is_signed: bool,
    pub labels: Option<Arc<Labels>>,
    pub roles: Vec<Role>,
}

/// An IEEE 754 number with 16, 32 or 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct Float {
    pub bits: u32,
    pub order: ByteOrder,
    pub is_reversed: bool,
}

/// A text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The number of bytes; `None` if a null character ends the text.
    pub length: Option<Length>,
    pub encoding: Encoding,
}

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16(ByteOrder),
    Utf32(ByteOrder),
}

/// The number of elements or bytes of a field.
#[derive(Clone, Debug)]
pub(crate) enum Length {
    Static(u64),
    Dynamic(Location),
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub name: Arc<str>,
    pub class: Class,
}

/// The options of a variant.
pub(crate) type Options = Vec<VariantOption>;

/// An option of a variant.
#[derive(Clone, Debug)]
pub(crate) struct VariantOption {
    /// The name; empty if it has none.
    pub name: Arc<str>,
    /// The values of the selector; `None` if these are the ones for which the selector has a label with the option's name.
    pub ranges: Option<Vec<Range>>,
    pub class: Class,
}

/// The place of a field that was decoded before, and determines how another one is decoded.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub origin: Origin,
    /// Names of members; `None` is the structure that contains the current one.
    pub path: Vec<Option<Arc<str>>>,
}

impl Location {
    /// Returns the path as a text for messages.
    pub(crate) fn text(&self) -> String {
        let names = self.path.iter().map(|name| name.as_deref().unwrap_or("^"));
        Vec::from_iter(names).join(".")
    }
}

/// Where the path of a location begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the innermost structure, of those around the field and before it, that has the path.
    Nearest,
    /// In the structure that contains the field.
    Parent,
    /// In the root of a scope.
    Scope(Scope),
}

/// The parts of packets and events that are decoded one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scope {
    PacketHeader,
    PacketContext,
    EventHeader,
    CommonContext,
    SpecificContext,
    Payload,
}

impl Scope {
    /// All scopes, in the order of decoding.
    pub(crate) const ALL: [Self; 6] = [
        Self::PacketHeader,
        Self::PacketContext,
        Self::EventHeader,
        Self::CommonContext,
        Self::SpecificContext,
        Self::Payload,
    ];

    /// Returns what the names of attributes begin with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::PacketHeader | Self::PacketContext => "packet.",
            Self::EventHeader => "header.",
            Self::CommonContext => "context.",
            Self::SpecificContext => "event_context.",
            Self::Payload => "",
        }
    }
}

/// What a field means for the decoder and for the objects of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Role {
    Magic,
    StreamClass,
    Stream,
    PacketBits,
    ContentBits,
    PacketEnd,
    Discarded,
    Sequence,
    EventClass,
    /// The value of the clock, when a packet begins or an event occurs.
    Clock,
    Cpu,
    Process,
    Thread,
}

impl Role {
    /// The number of roles.
    pub(crate) const COUNT: usize = Self::Thread as usize + 1;

    /// Returns whether the role identifies the location of events.
    pub(crate) const fn is_of_location(self) -> bool {
        matches!(self, Self::Cpu | Self::Process | Self::Thread)
    }
}
