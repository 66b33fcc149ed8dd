//! Counts the content of a trace of another program that has no place in foldtrace's model.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{Diagnostic, Diagnostics, LeftOut, Place, Severity};

/// The names of packets that are data, by the numbers of their fields.
const DATA: [(u32, &str); 27] = [
    (1, "ftrace_events"),
    (4, "inode_file_map"),
    (5, "chrome_events"),
    (7, "sys_stats"),
    (9, "process_stats"),
    (34, "ftrace_stats"),
    (37, "profile_packet"),
    (38, "battery"),
    (39, "android_log"),
    (40, "power_rails"),
    (49, "perfetto_metatrace"),
    (50, "compressed_packets"),
    (52, "gpu_counter_event"),
    (53, "gpu_render_stage_event"),
    (54, "streaming_profile_packet"),
    (56, "heap_graph"),
    (57, "graphics_frame_event"),
    (62, "vulkan_memory_event"),
    (63, "gpu_log"),
    (65, "vulkan_api_event"),
    (66, "perf_sample"),
    (68, "smaps_packet"),
    (71, "gpu_mem_total_event"),
    (74, "streaming_allocation"),
    (75, "streaming_free"),
    (76, "frame_timeline_event"),
    (95, "etw_events"),
];

/// Packets that describe the recording, the machine or the programs, by the numbers of their fields.
const DESCRIPTIONS: [u32; 27] = [
    33, 35, 36, 45, 46, 47, 48, 51, 61, 64, 67, 69, 70, 72, 78, 82, 89, 90, 107, 109, 113, 123,
    124, 125, 126, 128, 138,
];

/// Content that was left out.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    packets: HashMap<u32, u64, RandomState>,
    /// Fields of track events.
    fields: HashMap<u32, u64, RandomState>,
    arguments: HashMap<&'static str, u64, RandomState>,
    /// Number of names that are not interned.
    pub unknown_names: u64,
    /// Number of packets that need the state of a sequence that was lost.
    pub without_state: u64,
    /// Number of times that the recorder lost packets.
    pub gaps: u64,
}

impl Unread {
    /// Counts a packet whose data is in field `number`.
    pub(crate) fn packet(&mut self, number: u32) {
        *self.packets.entry(number).or_default() += 1;
    }

    /// Counts field `number` of a track event.
    pub(crate) fn field(&mut self, number: u32) {
        *self.fields.entry(number).or_default() += 1;
    }

    /// Counts a part of an event.
    pub(crate) fn argument(&mut self, name: &'static str) {
        *self.arguments.entry(name).or_default() += 1;
    }

    /// Reports everything that was left out, and everything that is irregular.
    pub(crate) fn report(self, place: &Place, diagnostics: &mut Diagnostics) {
        let mut left_out = LeftOut::default();
        let mut packets: Vec<_> = self.packets.into_iter().collect();
        packets.sort_unstable();
        let mut descriptions = 0;
        for (number, count) in packets {
            if DESCRIPTIONS.contains(&number) {
                descriptions += count;
                continue;
            }
            let known = DATA.iter().find(|known| known.0 == number);
            let name = known.map_or_else(
                || Cow::from(format!("packets with field {number}")),
                |known| known.1.into(),
            );
            left_out.count(name, count);
        }
        let mut fields: Vec<_> = self.fields.into_iter().collect();
        fields.sort_unstable();
        for (number, count) in fields {
            left_out.count(format!("fields {number} of track events"), count);
        }
        let mut arguments: Vec<_> = self.arguments.into_iter().collect();
        arguments.sort_unstable();
        for (name, count) in arguments {
            left_out.count(name, count);
        }
        diagnostics.merge(left_out.diagnostics("perfetto.left_out", "perfetto.description"));
        let mut report = |severity, key, count: u64, message: String| {
            if count > 0 {
                let diagnostic = Diagnostic::new(severity, key, message).at(place.clone());
                diagnostics.report_many(diagnostic, count);
            }
        };
        report(
            Severity::Note,
            "perfetto.description",
            descriptions,
            format!("{descriptions} packets describe the recording or the machine and are skipped"),
        );
        report(
            Severity::Loss,
            "perfetto.without_state",
            self.without_state,
            format!(
                "{} packets are left out, because they refer to packets that the recorder lost",
                self.without_state
            ),
        );
        report(
            Severity::Warning,
            "perfetto.gap",
            self.gaps,
            format!("the recorder lost packets, {} times", self.gaps),
        );
        report(
            Severity::Warning,
            "perfetto.unknown_name",
            self.unknown_names,
            format!(
                "{} names are referred to by a number that has no name",
                self.unknown_names
            ),
        );
    }
}
