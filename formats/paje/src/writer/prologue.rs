//! The beginning of every trace: the signature, the events with their codes and fields, and the types.

use crate::header::{CARRIED, LOCATION, SYMBOL};
use crate::parser::SIGNATURE;

/// The codes of the events. An event has one code per set of fields: those that other programs know, and those with
/// additional fields of foldtrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Code {
    ContainerType,
    StateType,
    EventType,
    VariableType,
    LinkType,
    EntityValue,
    Container,
    ContainerOfLocation,
    Push = 10,
    PushCarried,
    Pop,
    PopOf,
    PopCarried,
    Event = 20,
    EventCarried,
    Variable = 30,
    /// A variable that only draws what another line describes.
    VariableDrawn,
    StartLink = 40,
    StartLinkCarried,
    EndLink,
    EndLinkCarried,
    /// Ends of links that are only drawn.
    StartLinkDrawn,
    EndLinkDrawn,
}

/// The events, with their names, codes, and fields with types.
const EVENTS: &[(&str, Code, &[&str])] = &[
    (
        "DefineContainerType",
        Code::ContainerType,
        &["Alias", "Type", "Name"],
    ),
    (
        "DefineStateType",
        Code::StateType,
        &["Alias", "Type", "Name"],
    ),
    (
        "DefineEventType",
        Code::EventType,
        &["Alias", "Type", "Name"],
    ),
    (
        "DefineVariableType",
        Code::VariableType,
        &["Alias", "Type", "Name", "Color"],
    ),
    (
        "DefineLinkType",
        Code::LinkType,
        &[
            "Alias",
            "Type",
            "StartContainerType",
            "EndContainerType",
            "Name",
        ],
    ),
    (
        "DefineEntityValue",
        Code::EntityValue,
        &["Alias", "Type", "Name", "Color", SYMBOL],
    ),
    (
        "CreateContainer",
        Code::Container,
        &["Time", "Alias", "Type", "Container", "Name"],
    ),
    (
        "CreateContainer",
        Code::ContainerOfLocation,
        &["Time", "Alias", "Type", "Container", "Name", LOCATION],
    ),
    (
        "PushState",
        Code::Push,
        &["Time", "Type", "Container", "Value"],
    ),
    (
        "PushState",
        Code::PushCarried,
        &["Time", "Type", "Container", "Value", CARRIED],
    ),
    ("PopState", Code::Pop, &["Time", "Type", "Container"]),
    (
        "PopState",
        Code::PopOf,
        &["Time", "Type", "Container", SYMBOL],
    ),
    (
        "PopState",
        Code::PopCarried,
        &["Time", "Type", "Container", SYMBOL, CARRIED],
    ),
    (
        "NewEvent",
        Code::Event,
        &["Time", "Type", "Container", "Value"],
    ),
    (
        "NewEvent",
        Code::EventCarried,
        &["Time", "Type", "Container", "Value", CARRIED],
    ),
    (
        "SetVariable",
        Code::Variable,
        &["Time", "Type", "Container", SYMBOL, "Value", CARRIED],
    ),
    (
        "SetVariable",
        Code::VariableDrawn,
        &["Time", "Type", "Container", "Value"],
    ),
    (
        "StartLink",
        Code::StartLink,
        &[
            "Time",
            "Type",
            "Container",
            "Value",
            "StartContainer",
            SYMBOL,
            "Key",
            "Size",
        ],
    ),
    (
        "StartLink",
        Code::StartLinkCarried,
        &[
            "Time",
            "Type",
            "Container",
            "Value",
            "StartContainer",
            SYMBOL,
            "Key",
            "Size",
            CARRIED,
        ],
    ),
    (
        "EndLink",
        Code::EndLink,
        &[
            "Time",
            "Type",
            "Container",
            "Value",
            "EndContainer",
            SYMBOL,
            "Key",
            "Size",
        ],
    ),
    (
        "EndLink",
        Code::EndLinkCarried,
        &[
            "Time",
            "Type",
            "Container",
            "Value",
            "EndContainer",
            SYMBOL,
            "Key",
            "Size",
            CARRIED,
        ],
    ),
    (
        "StartLink",
        Code::StartLinkDrawn,
        &[
            "Time",
            "Type",
            "Container",
            "Value",
            "StartContainer",
            "Key",
        ],
    ),
    (
        "EndLink",
        Code::EndLinkDrawn,
        &["Time", "Type", "Container", "Value", "EndContainer", "Key"],
    ),
];

/// The types: machines contain processes, processes contain threads, and threads have everything else.
const TYPES: &[(Code, &str)] = &[
    (Code::ContainerType, "M 0 Machine"),
    (Code::ContainerType, "P M Process"),
    (Code::ContainerType, "T P Thread"),
    (Code::StateType, "S T Calls"),
    (Code::EventType, "E T Events"),
    (Code::LinkType, "L M T T Messages"),
];

const fn type_of(field: &str) -> &'static str {
    match field.as_bytes() {
        b"Time" => "date",
        b"Color" => "color",
        b"Size" => "int",
        _ => "string",
    }
}

/// Appends the signature and the event definitions.
pub(super) fn push_header(out: &mut Vec<u8>) {
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(b", see schemas/paje.md\n");
    for (name, code, fields) in EVENTS {
        let code = *code as u8;
        out.extend_from_slice(format!("%EventDef Paje{name} {code}\n").as_bytes());
        for field in *fields {
            let field_type = match (*name, *field) {
                ("SetVariable", "Value") => "double",
                _ => type_of(field),
            };
            out.extend_from_slice(format!("% {field} {field_type}\n").as_bytes());
        }
        out.extend_from_slice(b"%EndEventDef\n");
    }
}

/// Appends the types.
pub(super) fn push_types(out: &mut Vec<u8>) {
    for (code, fields) in TYPES {
        out.extend_from_slice(format!("{} {fields}\n", *code as u8).as_bytes());
    }
}
