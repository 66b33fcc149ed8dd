//! The definitions that otf2-print prints, with the labels of their fields in the order of the line. Each kind of
//! definition is described completely by its row.

use foldtrace_trace::{DefinitionKind, FieldType, UNDEFINED, ValueType, Vocabulary};

use crate::cursor::{Cursor, Stop, text};
use crate::words;

/// The layout of the line of a kind of definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinitionRow {
    /// The first word of the line.
    pub(crate) word: &'static str,
    pub(crate) kind: DefinitionKind,
    parts: &'static [Part],
}

/// A part of a line.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The number in the column of ids, with this number of bits.
    Id(u32),
    /// The text, in quotes up to the end of the line.
    Text,
    /// The word after the id, which repeats the id.
    Word,
    /// A number after its label.
    Field(&'static str, usize, Form),
    /// A list after its number of members.
    Members(&'static str),
    /// A list in brackets after its number of members.
    Bracketed(&'static str),
    /// A list in brackets after its label.
    Coordinates,
    /// Triples of property, type and value.
    Properties,
    /// The entries of a mapping table: all entries from 0 on in brackets, or pairs in braces.
    Pairs,
}

/// The form in which a number is printed.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Digits, a name and an id, or a word; with this number of bits.
    Number(u32, &'static Vocabulary),
    /// A word, followed by an id in the next field.
    Scope(&'static Vocabulary),
    /// A second name and id in brackets.
    Also,
    /// Flags.
    Set(&'static Vocabulary),
    /// A signed number.
    Signed,
    /// A number with a decimal point.
    Double,
    /// The word for a type of values.
    Type,
    /// A value whose type is in the preceding field.
    Value,
    /// A date in UTC, as nanoseconds since 1970.
    Date,
}

macro_rules! form {
    (signed) => {
        Form::Signed
    };
    (double) => {
        Form::Double
    };
    (type) => {
        Form::Type
    };
    (value) => {
        Form::Value
    };
    (date) => {
        Form::Date
    };
    (also) => {
        Form::Also
    };
    (scope $words:ident) => {
        Form::Scope(&words::$words)
    };
    (set $words:ident) => {
        Form::Set(&words::$words)
    };
    ($bits:literal) => {
        Form::Number($bits, &words::NONE)
    };
    ($bits:literal $words:ident) => {
        Form::Number($bits, &words::$words)
    };
}

macro_rules! part {
    ($kind:ident id $bits:literal) => {
        Part::Id($bits)
    };
    ($kind:ident text) => {
        Part::Text
    };
    ($kind:ident word) => {
        Part::Word
    };
    ($kind:ident members $noun:literal) => {
        Part::Members($noun)
    };
    ($kind:ident bracketed $noun:literal) => {
        Part::Bracketed($noun)
    };
    ($kind:ident coordinates) => {
        Part::Coordinates
    };
    ($kind:ident properties) => {
        Part::Properties
    };
    ($kind:ident pairs) => {
        Part::Pairs
    };
    ($kind:ident $label:literal $field:ident $($form:tt)+) => {
        Part::Field(
            concat!($label, ": "),
            DefinitionKind::$kind.slot(stringify!($field)).unwrap(),
            form!($($form)+),
        )
    };
}

macro_rules! definitions {
    ($($word:literal $kind:ident [$(($($token:tt)+))*];)*) => {
        pub(crate) static DEFINITIONS: &[DefinitionRow] = &[$(DefinitionRow {
            word: $word,
            kind: DefinitionKind::$kind,
            parts: &[$(part!($kind $($token)+)),*],
        }),*];
    };
}

definitions! {
    "STRING" String [(id 32) (text)];
    "ATTRIBUTE" Attribute [(id 32) ("Name" name 32) ("Description" description 32) ("Type" type type)];
    "CLOCK_PROPERTIES" ClockProperties [("Ticks per Seconds" ticks_per_second 64) ("Global Offset" global_offset 64) ("Length" trace_length 64) ("Date" realtime_timestamp date)];
    "PARADIGM" Paradigm [(id 8) (word) ("Name" name 32) ("Class" class 8 PARADIGM_CLASSES)];
    "PARADIGM_PROPERTY" ParadigmProperty [("Paradigm" paradigm 8 PARADIGMS) ("Property" property 8 PARADIGM_PROPERTIES) ("Type" type type) ("Value" value value)];
    "IO_PARADIGM" IoParadigm [(id 8) ("Identification" identification 32) ("Name" name 32) ("Class" class 8 IO_CLASSES) ("Flags" flags set IO_PARADIGM_FLAGS) (properties)];
    "SYSTEM_TREE_NODE" SystemTreeNode [(id 32) ("Name" name 32) ("Class" class 32) ("Parent" parent 32)];
    "SYSTEM_TREE_NODE_DOMAIN" SystemTreeNodeDomain [("System Tree Node" system_tree_node 32) ("Domain" domain 8 DOMAINS)];
    "SYSTEM_TREE_NODE_PROPERTY" SystemTreeNodeProperty [("System Tree Node" system_tree_node 32) ("Name" name 32) ("Type" type type) ("Value" value value)];
    "LOCATION_GROUP" LocationGroup [(id 32) ("Name" name 32) ("Type" type 8 LOCATION_GROUPS) ("Parent" system_tree_parent 32) ("Creator" creator 32)];
    "LOCATION_GROUP_PROPERTY" LocationGroupProperty [("Location Group" location_group 32) ("Name" name 32) ("Type" type type) ("Value" value value)];
    "LOCATION" Location [(id 64) ("Name" name 32) ("Type" type 8 LOCATIONS) ("# Events" number_of_events 64) ("Group" location_group 32)];
    "LOCATION_PROPERTY" LocationProperty [("Location" location 64) ("Name" name 32) ("Type" type type) ("Value" value value)];
    "REGION" Region [(id 32) ("Name" name 32) ("(Aka." canonical_name also) ("Descr." description 32) ("Role" role 8 ROLES) ("Paradigm" paradigm 8 PARADIGMS) ("Flags" flags set REGION_FLAGS) ("File" source_file 32) ("Begin" begin_line 32) ("End" end_line 32)];
    "CALLSITE" Callsite [(id 32) ("File" source_file 32) ("Line Number" line 32) ("Entered Region" entered_region 32) ("Left Region" left_region 32)];
    "CALLPATH" Callpath [(id 32) ("Parent" parent 32) ("Region" region 32)];
    "CALLPATH_PARAMETER" CallpathParameter [("Callpath" callpath 32) ("Parameter" parameter 32) ("Type" type type) ("Value" value value)];
    "GROUP" Group [(id 32) ("Name" name 32) ("Type" type 8 GROUPS) ("Paradigm" paradigm 8 PARADIGMS) ("Flags" flags set GROUP_FLAGS) (members "Member")];
    "METRIC_MEMBER" MetricMember [(id 32) ("Name" name 32) ("Descr." description 32) ("Type" type 8 METRICS) ("Mode" mode 8 METRIC_MODES) ("Value Type" value_type type) ("Base" base 8 BASES) ("Exponent" exponent signed) ("Unit" unit 32)];
    "METRIC_CLASS" MetricClass [(id 32) ("Occurrence" occurrence 8 OCCURRENCES) ("Kind" recorder_kind 8 RECORDERS) (members "Member")];
    "METRIC_INSTANCE" MetricInstance [(id 32) ("Class" metric_class 32) ("Recorder" recorder 64) ("Scope" scope_type scope SCOPES)];
    "METRIC_CLASS_RECORDER" MetricClassRecorder [("Class" metric 32) ("Recorder" recorder 64)];
    "COMM" Comm [(id 32) ("Name" name 32) ("Group" group 32) ("Parent" parent 32) ("Flags" flags set COMM_FLAGS)];
    "INTER_COMM" InterComm [(id 32) ("name" name 32) ("Group A" group_a 32) ("Group B" group_b 32) ("Common Communicator" common_communicator 32) ("Flags" flags set COMM_FLAGS)];
    "PARAMETER" Parameter [(id 32) ("Name" name 32) ("Type" type 8 PARAMETERS)];
    "RMA_WIN" RmaWin [(id 32) ("Name" name 32) ("Communicator" comm 32) ("Flags" flags set COMM_FLAGS)];
    "CART_DIMENSION" CartDimension [(id 32) ("Name" name 32) ("Size" size 32) ("Periodicity" periodicity 8 PERIODICITY)];
    "CART_TOPOLOGY" CartTopology [(id 32) ("Name" name 32) ("Communicator" communicator 32) (bracketed "Dimension")];
    "CART_COORDINATE" CartCoordinate [("Cartesian Topology" cart_topology 32) ("Rank" rank 32) (coordinates)];
    "SOURCE_CODE_LOCATION" SourceCodeLocation [(id 32) ("File" file 32) ("Line Number" line 32)];
    "CALLING_CONTEXT" CallingContext [(id 32) ("Region" region 32) ("Source code location" source_code_location 32) ("Parent" parent 32)];
    "CALLING_CONTEXT_PROPERTY" CallingContextProperty [("Calling Context" calling_context 32) ("Name" name 32) ("Type" type type) ("Value" value value)];
    "INTERRUPT_GENERATOR" InterruptGenerator [(id 32) ("Name" name 32) ("Mode" mode 8 INTERRUPTS) ("Base" base 8 BASES) ("Exponent" exponent signed) ("Period" period 64)];
    "IO_REGULAR_FILE" IoRegularFile [(id 32) ("Name" name 32) ("Scope" scope 32)];
    "IO_DIRECTORY" IoDirectory [(id 32) ("Name" name 32) ("Scope" scope 32)];
    "IO_FILE_PROPERTY" IoFileProperty [("File" io_file 32) ("Name" name 32) ("Type" type type) ("Value" value value)];
    "IO_HANDLE" IoHandle [(id 32) ("Name" name 32) ("File" file 32) ("I/O Paradigm" io_paradigm 8) ("Flags" flags set HANDLE_FLAGS) ("Communicator" comm 32) ("Parent" parent 32)];
    "IO_PRE_CREATED_HANDLE_STATE" IoPreCreatedHandleState [("Handle" io_handle 32) ("Access Mode" mode 8 ACCESS) ("Status Flags" status_flags set STATUS_FLAGS)];
    "MAPPING_TABLE" MappingTable [(id 64) ("Type" type 8 MAPPINGS) (pairs)];
    "CLOCK_OFFSET" ClockOffset [(id 64) ("Time" time 64) ("Offset" offset signed) ("StdDev" standard_deviation double)];
}

/// A parsed definition.
#[derive(Debug)]
pub(crate) struct ParsedDefinition {
    pub(crate) kind: DefinitionKind,
    pub(crate) fields: Vec<u64>,
    pub(crate) list: Vec<u64>,
    pub(crate) text: String,
}

/// Parses the line of a definition after its first word.
pub(crate) fn parse(
    row: &DefinitionRow,
    cursor: &mut Cursor<'_>,
) -> Result<ParsedDefinition, Stop> {
    let mut parsed = ParsedDefinition {
        kind: row.kind,
        fields: vec![UNDEFINED; row.kind.fields().len()],
        list: Vec::new(),
        text: String::new(),
    };
    let mut is_first = true;
    cursor.skip_blanks();
    for part in row.parts {
        if let Part::Id(bits) = part {
            parsed.put(0, cursor.printed_number(&words::NONE)?.field_value(*bits));
            cursor.skip_blanks();
            continue;
        }
        let before = *cursor;
        if !is_first {
            cursor.eat(", ");
        }
        if parsed.take(part, cursor)? {
            is_first = false;
        } else {
            // Earlier versions do not have this field.
            *cursor = before;
        }
    }
    if row.kind == DefinitionKind::IoRegularFile || row.kind == DefinitionKind::IoDirectory {
        cursor.skip_blanks();
    }
    if !cursor.is_at_end() {
        return Err(cursor.expected("the next field"));
    }
    Ok(parsed)
}

impl ParsedDefinition {
    fn put(&mut self, field: usize, value: u64) {
        if let Some(slot) = self.fields.get_mut(field) {
            *slot = value;
        }
    }

    /// Parses a part if it is next, and returns whether it was.
    fn take(&mut self, part: &Part, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        match *part {
            Part::Id(_) => return Ok(false),
            Part::Text => {
                let rest = cursor.rest();
                let inner = rest
                    .strip_prefix(b"\"")
                    .ok_or_else(|| cursor.expected("'\"'"))?;
                let inner = inner.strip_suffix(b"\"").ok_or(Stop::Unfinished)?;
                self.text = text(inner).into_owned();
                *cursor = cursor.end();
            }
            Part::Word => {
                cursor.printed_number(&words::PARADIGMS)?;
            }
            Part::Field(_, field, Form::Also) => {
                if !cursor.eat(" (Aka. ") {
                    return Ok(false);
                }
                let value = cursor.printed_number(&words::NONE)?.field_value(32);
                self.put(field, value);
                cursor.expect(")")?;
            }
            Part::Field(label, field, form) => {
                if !cursor.eat(label) {
                    return Ok(false);
                }
                self.field(field, form, cursor)?;
            }
            Part::Members(noun) => {
                let count = cursor.member_count(noun)?;
                for number in 0..count {
                    if number > 0 {
                        cursor.expect(", ")?;
                    }
                    self.list.push(cursor.printed_number(&words::NONE)?.number);
                }
            }
            Part::Bracketed(noun) => {
                cursor.member_count(noun)?;
                self.bracketed(cursor)?;
            }
            Part::Coordinates => {
                if !cursor.eat("Coordinates: ") {
                    cursor.expect("Coordinate: ")?;
                }
                self.bracketed(cursor)?;
            }
            Part::Properties => self.properties(cursor)?,
            Part::Pairs => self.pairs(cursor)?,
        }
        Ok(true)
    }

    fn field(&mut self, field: usize, form: Form, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let value = match form {
            Form::Number(bits, words) => cursor.printed_number(words)?.field_value(bits),
            Form::Also => return Ok(()),
            Form::Scope(words) => {
                let scope = cursor.printed_number(words)?.field_value(8);
                cursor.expect(" ")?;
                self.put(field + 1, cursor.printed_number(&words::NONE)?.number);
                scope
            }
            Form::Set(words) => match cursor.flags(words)? {
                ALL_FLAGS => UNDEFINED,
                flags => flags,
            },
            Form::Signed => cursor.signed()?,
            Form::Double => cursor.double()?.to_bits(),
            Form::Type => cursor.value_type()?,
            Form::Value => {
                let code = field
                    .checked_sub(1)
                    .and_then(|field| self.fields.get(field));
                cursor.value(value_type(code.copied()))?.number
            }
            Form::Date => date(cursor)?,
        };
        self.put(field, value);
        Ok(())
    }

    fn bracketed(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        cursor.expect("(")?;
        while !cursor.eat(")") {
            if !self.list.is_empty() {
                cursor.expect(", ")?;
            }
            self.list
                .push(cursor.printed_number(&words::NONE)?.field_value(32));
        }
        Ok(())
    }

    fn properties(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let count = cursor.number()?;
        if !cursor.eat(" Properties") {
            cursor.expect(" Property")?;
        }
        cursor.eat(": ");
        for number in 0..count {
            if number > 0 {
                cursor.expect(", ")?;
            }
            cursor.expect("(")?;
            let property = cursor.printed_number(&words::IO_PROPERTIES)?.field_value(8);
            cursor.expect("; ")?;
            let code = cursor.value_type()?;
            cursor.expect("; ")?;
            let value = cursor.value(value_type(Some(code)))?.number;
            cursor.expect(")")?;
            self.list.extend([property, code, value]);
        }
        Ok(())
    }

    fn pairs(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        if cursor.eat("[") {
            let mut local = 0;
            while !cursor.eat("]") {
                if local > 0 {
                    cursor.expect(",")?;
                }
                self.list.extend([local, cursor.number()?]);
                local += 1;
            }
            return Ok(());
        }
        cursor.expect("{")?;
        while !cursor.eat("}") {
            if !self.list.is_empty() {
                cursor.expect(",")?;
            }
            let local = cursor.number()?;
            cursor.expect("=>")?;
            self.list.extend([local, cursor.number()?]);
        }
        Ok(())
    }

    /// Returns the id of the definition.
    pub(crate) fn id(&self) -> Option<u64> {
        let first = self.kind.fields().first()?;
        let id = *self.fields.first()?;
        (first.field_type == FieldType::Id && id != UNDEFINED).then_some(id)
    }
}

const ALL_FLAGS: u64 = u32::MAX as u64;

/// Returns the type with that code, or [`ValueType::None`] if the code is unknown.
fn value_type(code: Option<u64>) -> ValueType {
    code.and_then(|code| u8::try_from(code).ok())
        .and_then(ValueType::from_code)
        .unwrap_or_default()
}

/// Reads `2023-11-14 22:13:20.123456789 +0000`, always in UTC, as nanoseconds since 1970.
fn date(cursor: &mut Cursor<'_>) -> Result<u64, Stop> {
    if cursor.eat("UNDEFINED") {
        return Ok(UNDEFINED);
    }
    let before = *cursor;
    let mut parts = [0; 7];
    for (part, separator) in parts
        .iter_mut()
        .zip(["-", "-", " ", ":", ":", ".", " +0000"])
    {
        *part = cursor.number()?;
        cursor.expect(separator)?;
    }
    let [year, month, day, hour, minute, second, nanoseconds] = parts;
    let is_date = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !is_date {
        return Err(before.expected("a date"));
    }
    // Years begin in March, so that a leap day is the last day of a year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    const BEFORE_1970: u64 = 719_468;
    let seconds = (days.saturating_sub(BEFORE_1970)) * 86_400 + hour * 3600 + minute * 60 + second;
    let nanoseconds = u128::from(seconds) * 1_000_000_000 + u128::from(nanoseconds);
    u64::try_from(nanoseconds)
        .map_err(|_| before.expected("a date that fits into 64 bits of nanoseconds"))
}
