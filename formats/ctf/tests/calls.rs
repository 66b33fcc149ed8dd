//! Calls, messages, threads and processes.

use crate::trace::{TRACE, Trace, problems, show};

/// Events of threads, as LTTng and THAPI record them.
const THREADS: &str = "
env { hostname = \"node1\"; };
clock { name = c; freq = 1000000000; };
stream {
    packet.context := struct { u8 packet_size; u8 cpu_id; };
    event.header := struct { integer { size = 8; map = clock.c.value; } timestamp; u8 id; };
    event.context := struct { u8 _vpid; u8 _vtid; string _procname; };
};
event { name = \"lttng_ust_cyg_profile:func_entry\"; id = 0; fields := struct { u16 addr; u16 call_site; }; };
event { name = \"lttng_ust_cyg_profile:func_exit\"; id = 1; fields := struct { u16 addr; u16 call_site; }; };
event { name = \"lttng_ust_mpi:MPI_Send_entry\"; id = 2; fields := struct { u8 dest; u8 tag; u8 size; }; };
event { name = \"lttng_ust_mpi:MPI_Send_exit\"; id = 3; };
event { name = \"lttng_ust_statedump:bin_info\"; id = 4; fields := struct { u16 baddr; u16 memsz; string path; }; };
event { name = \"lttng_ust_cyg_profile_fast:func_exit\"; id = 5; };
event { name = note; id = 6; };
";

fn event(time: u8, id: u8, process: u8, thread: u8, name: &str, payload: &[u8]) -> Vec<u8> {
    let context = [time, id, process, thread];
    [&context[..], name.as_bytes(), b"\0", payload].concat()
}

fn packet(cpu: u8, events: &[Vec<u8>]) -> Vec<u8> {
    let events = events.concat();
    [&[8 * (2 + events.len()) as u8, cpu][..], &events].concat()
}

fn trace(packets: &[Vec<u8>]) -> Trace {
    Trace::new(&format!("{TRACE}{THREADS}"), &packets.concat())
}

#[test]
fn functions_are_named_after_their_modules() {
    let trace = trace(&[
        packet(0, &[event(1, 4, 9, 9, "p", b"\0\x10\0\x01/bin/p\0")]),
        packet(0, &[event(2, 0, 9, 9, "p", b"\x34\x10\0\0")]),
        packet(1, &[event(3, 6, 9, 9, "q", b"")]),
        packet(1, &[event(4, 1, 9, 9, "q", b"\x34\x10\0\0")]),
        packet(1, &[event(5, 0, 8, 9, "p", b"\x34\x10\0\0")]),
        packet(1, &[event(6, 5, 8, 9, "p", b"")]),
        packet(1, &[event(7, 5, 8, 9, "p", b"")]),
    ]);
    let read = trace.read();
    let lines = [
        "thread 9 of rank 1",
        "1 local lttng_ust_statedump:bin_info packet.cpu_id=0 baddr=4096 memsz=256 path=/bin/p",
        "2 enter p+0x34 addr=4148 call_site=0",
        "3 local note packet.cpu_id=1 context.procname=q",
        "4 leave p+0x34 addr=4148 call_site=0",
        "thread 9 of rank 0",
        "5 enter 0x1034 packet.cpu_id=1 addr=4148 call_site=0",
        "6 leave 0x1034",
        "7 leave",
    ];
    assert_eq!(show(&read), lines);
    assert_eq!(problems(&read), ["ctf.end_without_begin 1"]);
}

#[test]
fn users_extend_the_conventions() {
    let packets = [
        packet(0, &[event(1, 2, 3, 3, "p", &[1, 5, 80])]),
        packet(
            0,
            &[event(2, 3, 3, 3, "p", b""), event(3, 6, 4, 4, "p", b"")],
        ),
    ];
    let trace = trace(&packets);
    let call = [
        "1 enter MPI_Send packet.cpu_id=0 dest=1 tag=5 size=80",
        "2 leave MPI_Send",
    ];
    assert_eq!(show(&trace.read())[1..3], call);
    let rules = "[[rule]]\nevent = \"*:MPI_Send_entry\"\nrole = \"enter\"\nregion = \"MPI_Send\"\n\
        message = \"send\"\npeer = \"dest\"\ntag = \"tag\"\nbytes = \"size\"\n\
        [[rule]]\nevent = \"note\"\nrole = \"enter\"\nregion = \"of $1\"\n";
    trace.add("ctf-conventions.toml", rules.as_bytes());
    let lines = [
        "thread 3 of rank 0",
        call[0],
        "1 mpi_send 1 bytes 80",
        call[1],
        "thread 4 of rank 1",
        "3 enter of $1 packet.cpu_id=0",
    ];
    assert_eq!(show(&trace.read()), lines);
    trace.add("ctf-conventions.toml", b"[[rule]]\nevent = 1\n");
    assert!(trace.error().contains("invalid type"), "{}", trace.error());
}

#[test]
fn several_traces_are_one() {
    let metadata = |offset: u32| {
        format!(
            "{TRACE} clock {{ name = c; freq = 1000; offset = {offset}; uuid = \"a\"; }};
            stream {{ event.header := struct {{ integer {{ size = 8; map = clock.c.value; }} timestamp; u8 id; }}; }};
            event {{ name = \"syscall_entry_read\"; id = 0; }}; event {{ name = \"syscall_exit_read\"; id = 1; }};"
        )
    };
    let trace = Trace::new(&metadata(100), b"\x05\0\x07\x01");
    trace.add("below/2/metadata", metadata(0).as_bytes());
    trace.add("below/2/channel_0", b"\x69\0");
    trace.add("below/10/metadata", metadata(0).as_bytes());
    trace.add("below/10/channel_0", b"\x6a\0");
    let lines = [
        "stream 0 of rank 0",
        "105 enter read",
        "107 leave read",
        "stream 1 of rank 1",
        "105 enter read",
        "stream 2 of rank 2",
        "106 enter read",
    ];
    assert_eq!(show(&trace.read()), lines);
}
