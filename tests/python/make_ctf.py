"""Writes traces of CTF for the tests, into tests/data/ctf: `python3 tests/python/make_ctf.py`."""

import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parents[1] / "data/ctf"

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; } := u8;
typealias integer { size = 16; } := u16;
typealias integer { size = 32; } := u32;
typealias integer { size = 64; } := u64;
"""

THREADS = TYPES + """
typealias integer { size = 5; align = 1; } := u5;
trace {
	major = 1;
	minor = 8;
	uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";
	byte_order = le;
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; u64 stream_instance_id; };
};
env { hostname = "node1"; domain = "ust"; };
clock { name = monotonic; uuid = "c19b5ac9-b8e6-4f78-be95-a605d04e34c6"; freq = 1000000000; offset = 5000000000; };
typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := u27_clock;
typealias integer { size = 64; map = clock.monotonic.value; } := u64_clock;
struct header {
	enum : u5 { compact = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct { u27_clock timestamp; } compact;
		struct { u32 id; u64_clock timestamp; } extended;
	} v;
} align(8);
stream {
	id = 0;
	packet.context := struct {
		u64_clock timestamp_begin; u64_clock timestamp_end; u64 content_size; u64 packet_size;
		u64 packet_seq_num; u64 events_discarded; u32 cpu_id;
	};
	event.header := struct header;
	event.context := struct {
		integer { size = 32; signed = true; } _vpid;
		integer { size = 32; signed = true; } _vtid;
		integer { size = 8; encoding = UTF8; } _procname[8];
	};
};
event { name = "lttng_ust_cyg_profile:func_entry"; id = 0; stream_id = 0; fields := struct { u64 _addr; u64 _call_site; }; };
event { name = "lttng_ust_cyg_profile:func_exit"; id = 1; stream_id = 0; fields := struct { u64 _addr; u64 _call_site; }; };
event { name = "lttng_ust_mpi:MPI_Send_entry"; id = 2; stream_id = 0; fields := struct { integer { size = 32; signed = true; } _dest; }; };
event { name = "lttng_ust_mpi:MPI_Send_exit"; id = 300; stream_id = 0; };
event { name = "lttng_ust_statedump:bin_info"; id = 4; stream_id = 0; fields := struct { u64 _baddr; u64 _memsz; string _path; }; };
"""
UUID = bytes.fromhex("2a6422d06cee11e08c08cb07d7b3a564")


def event(time, number, process, thread, name, payload=b""):
    if number < 31:
        header = struct.pack("<I", number | (time & 0x7FFFFFF) << 5)
    else:
        header = bytes([31]) + struct.pack("<IQ", number, time)
    return header + struct.pack("<ii8s", process, thread, name.encode()) + payload


def packet(begin, end, sequence, cpu, events, discarded=0):
    content = b"".join(events)
    header = struct.pack("<I16sIQ", 0xC1FC1FC1, UUID, 0, cpu)
    size = len(header) + 52 + len(content)
    padded = size + 16
    context = struct.pack("<QQQQQQI", begin, end, 8 * size, 8 * padded, sequence, discarded, cpu)
    return header + context + content + bytes(padded - size)


def call(time, number, process, thread, name, address):
    return event(time, number, process, thread, name, struct.pack("<QQ", address, 0x5000))


FIRST = packet(100, 900, 0, 0, [
    event(110, 4, 40, 40, "program", struct.pack("<QQ", 0x1000, 0x100) + b"/bin/program\0"),
    call(120, 0, 40, 40, "program", 0x1010),
    event(130, 2, 40, 40, "program", struct.pack("<i", 1)),
    event(150, 300, 40, 40, "program"),
    call(800, 1, 40, 40, "program", 0x1010),
])
SECOND = packet(1 << 27, (1 << 27) + 500, 2, 0, [
    call((1 << 27) + 7, 0, 40, 41, "program", 0x1010),
    call((1 << 27) + 400, 1, 40, 41, "renamed", 0x1010),
], 3)
OTHER = packet(90, 700, 0, 1, [
    call(95, 0, 39, 39, "program", 0x2000),
    call(600, 1, 39, 39, "program", 0x2000),
])


def u(bits, **more):
    return {"type": "fixed-length-unsigned-integer", "length": bits, "byte-order": "little-endian", "alignment": 8} | more


def member(name, field):
    return {"name": name, "field-class": field}


def structure(*members):
    return {"type": "structure", "member-classes": list(members)}


def at(*path):
    return {"path": list(path)}


CTF2 = [
    {"type": "preamble", "version": 2, "uuid": list(UUID)},
    {"type": "trace-class", "environment": {"hostname": "node2", "domain": "test"}, "packet-header-field-class": structure(
        member("m", u(32, roles=["packet-magic-number"])),
        member("u", {"type": "static-length-blob", "length": 16, "roles": ["metadata-stream-uuid"]}),
        member("s", u(8, roles=["data-stream-class-id"])))},
    {"type": "clock-class", "id": "c", "frequency": 1000, "origin": "unix-epoch", "offset-from-origin": {"seconds": 7}},
    {"type": "field-class-alias", "name": "u8", "field-class": u(8)},
    {"type": "data-stream-class", "id": 3, "default-clock-class-id": "c",
     "packet-context-field-class": structure(
         member("b", u(32, roles=["default-clock-timestamp"])),
         member("size", {"type": "variable-length-unsigned-integer", "roles": ["packet-total-length"]})),
     "event-record-header-field-class": structure(
         member("id", {"type": "variable-length-unsigned-integer", "roles": ["event-record-class-id"]}),
         member("t", u(8, roles=["default-clock-timestamp"])))},
    {"type": "event-record-class", "id": 200, "data-stream-class-id": 3, "name": "everything", "payload-field-class": structure(
        member("n", "u8"),
        member("svar", {"type": "variable-length-signed-integer"}),
        member("flag", {"type": "fixed-length-boolean", "length": 8, "byte-order": "little-endian"}),
        member("map", {"type": "fixed-length-bit-map", "length": 8, "byte-order": "little-endian",
                       "flags": {"A": [[0, 0]], "B": [[1, 2]]}}),
        member("named", u(8, mappings={"low": [[0, 9]], "high": [[200, 200]]})),
        member("double", {"type": "fixed-length-floating-point-number", "length": 64, "byte-order": "big-endian"}),
        member("utf16", {"type": "null-terminated-string", "encoding": "utf-16le"}),
        member("counted", {"type": "dynamic-length-string", "length-field-location": at("n")}),
        member("blob", {"type": "dynamic-length-blob", "length-field-location": at("n")}),
        member("some", {"type": "optional", "selector-field-location": at("flag"), "field-class": "u8"}),
        member("choice", {"type": "variant", "selector-field-location": at("n"), "options": [
            {"selector-field-ranges": [[0, 1]], "field-class": "u8"},
            {"selector-field-ranges": [[2, 9]], "field-class": {"type": "null-terminated-string"}}]}),
        member("rows", {"type": "static-length-array", "length": 2, "element-field-class": structure(
            member("k", "u8"), member("list", {"type": "dynamic-length-array", "element-field-class": "u8",
                                               "length-field-location": at("k")}))}))},
    {"type": "event-record-class", "data-stream-class-id": 3, "name": "step_entry"},
    {"type": "event-record-class", "id": 1, "data-stream-class-id": 3, "name": "step_exit"},
]
EVERYTHING = b"\xc8\x01" + bytes([30]) + bytes([2, 0x7F, 1, 5, 7]) + struct.pack(">d", 2.5) + "ä\0".encode("utf-16le") \
    + b"xy\xab\xcd\x09text\0\x01\x08\x02\x06\x07"
EVENTS = b"\x00\x14" + EVERYTHING + b"\x01\x0a"


def write(case, files):
    for name, content in files.items():
        path = HERE / case / "input" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def main():
    fragments = "".join(f"\x1e{json.dumps(fragment)}\n" for fragment in CTF2)
    body = struct.pack("<I16sB", 0xC1FC1FC1, UUID, 3) + struct.pack("<I", 0x310)
    size = 8 * (len(body) + 2 + len(EVENTS))
    ctf2 = body + bytes([size & 0x7F | 0x80, size >> 7]) + EVENTS
    write("good/threads", {"metadata": THREADS, "stream": FIRST + SECOND, "other": OTHER})
    write("good/ctf2", {"metadata": fragments, "stream": ctf2})
    write("good/two_traces", {"a/metadata": THREADS.replace("b3a564", "b3a565"), "a/stream": OTHER,
                              "b/metadata": fragments, "b/stream": ctf2})
    write("good/conventions", {"metadata": THREADS, "stream": FIRST, "ctf-conventions.toml":
          '[[rule]]\nevent = "*:MPI_Send_entry"\nrole = "enter"\nregion = "MPI_Send"\nmessage = "send"\npeer = "dest"\n'})
    write("good/no_events", {"metadata": THREADS})
    write("bad/unknown_event", {"metadata": THREADS, "stream": packet(1, 9, 0, 0, [event(5, 9, 1, 1, "p")]) + SECOND})
    write("bad/cut_off", {"metadata": THREADS, "stream": (FIRST + SECOND)[:-60]})
    write("bad/bad_magic", {"metadata": THREADS, "stream": b"\0" + FIRST[1:], "other": OTHER})
    write("bad/syntax", {"metadata": THREADS.replace("} align(8);", "] align(8);"), "stream": FIRST})
    write("bad/unknown_length", {"metadata": TYPES + "trace { major = 1; minor = 8; byte_order = le; };\n"
          "event { name = e; fields := struct { u8 a[b]; }; };\n", "stream": b"\1"})
    write("bad/extension", {"metadata": '\x1e{"type":"preamble","version":2,"extensions":{"a":{"b":true}}}\n'})


if __name__ == "__main__":
    main()
