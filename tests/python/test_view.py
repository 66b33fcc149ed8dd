"""Serves stores, and looks at them in a real browser."""

import json
import math
import os
import re
import signal
import socket
import subprocess
import unittest
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

from browser import AXIS, BrowserTest, Data
from sources import FOLDTRACE, ROOT, printed, run

OPERANDS = re.compile(r"Receiver: (\d+)|Sender: (\d+)|Tag: (\d+)|Length: (\d+)")


@contextmanager
def view(*traces):
    """Serves traces. Returns the address of the first page, and the process."""
    command = [FOLDTRACE, "view", "-q", *map(str, traces)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip(), server
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
            server.communicate()


def ask(address):
    """Returns what the server answers once it is ready."""
    while True:
        with urlopen(address) as response:
            if response.status == 200:
                return response.read()


class ViewTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = ROOT / "examples/wave-4"
        cls.store = cls.folder / "wave-4.fold"
        run(FOLDTRACE, "convert", "-q", str(cls.source), str(cls.store))
        cls.site, cls.server = cls.enterClassContext(view(cls.store))
        cls.address_of_page = f"{cls.site}0/"
        events = printed(cls.source)
        cls.origin = min(time for _, _, time, _ in events)
        cls.locations = sorted({location for location, *_ in events})
        cls.events = [
            (cls.locations.index(location), kind, time - cls.origin, operands)
            for location, kind, time, operands in events
        ]
        cls.span = max(time for _, _, time, _ in cls.events) + 1

    def detail(self, begin, end, buckets=100, locations="0-3"):
        query = f"detail?begin={begin}&end={end}&locations={locations}&buckets={buckets}"
        return Data(ask(self.address_of_page + query))

    def calls(self):
        """Returns (location, begin, end, region) of all calls, from what otf2-print prints."""
        calls, begins = [], {}
        for location, kind, time, operands in self.events:
            if kind in ("enter", "leave"):
                region = re.search(r'"(.*)"', operands)[1]
                of_region = begins.setdefault((location, region), [])
                if kind == "enter":
                    of_region.append(time)
                else:
                    calls.append((location, of_region.pop(), time, region))
        return calls

    def test_calls_are_those_that_otf2_print_prints(self):
        regions = Data(ask(f"{self.address_of_page}basis")).head["regions"]
        for begin, end in [(0, self.span), (self.span / 3, self.span / 2), (self.span / 2, self.span / 2 + 100)]:
            data = self.detail(begin, end)
            self.assertTrue(data.head["has_calls"])
            self.assertEqual(data.head["locations"], [0, 1, 2, 3])
            firsts = data.column("calls.first")
            rows = data.rows("calls.begin", "calls.end", "calls.place")
            found = sorted(
                (location, call_begin, call_end, regions[place - 1])
                for location, (first, last) in enumerate(zip(firsts, firsts[1:]))
                for call_begin, call_end, place in rows[first:last]
            )
            begin, end = math.floor(begin), math.ceil(end)
            # A call that ends at the very beginning is left at the first event that is read.
            expected = [call for call in self.calls() if call[1] < end and call[2] >= begin]
            expected = sorted(
                (location, call_begin, call_end if call_end < end else math.inf, region)
                for location, call_begin, call_end, region in expected
            )
            self.assertEqual(found, expected)

    def test_messages_are_those_that_otf2_print_prints(self):
        sends, receives = {}, {}
        for location, kind, time, operands in self.events:
            receiver, sender, tag, length = (
                next((int(value) for value in values if value), None)
                for values in zip(*OPERANDS.findall(operands), strict=True)
            ) if kind in ("mpi_send", "mpi_recv") else (None,) * 4
            if kind == "mpi_send":
                sends.setdefault((location, receiver, tag), []).append((time, length))
            elif kind == "mpi_recv":
                receives.setdefault((sender, location, tag), []).append(time)
        expected = sorted(
            (sender, receiver, float(sent), float(received), float(length), float(tag))
            for (sender, receiver, tag), all_sent in sends.items()
            for (sent, length), received in zip(all_sent, receives[sender, receiver, tag], strict=True)
        )
        self.assertGreater(len(expected), 10)
        names = [f"messages.{name}" for name in ("sender", "receiver", "sent", "received", "bytes", "tag")]
        data = self.detail(0, self.span)
        self.assertTrue(data.head["has_messages"])
        self.assertEqual(sorted(data.rows(*names)), expected)
        begin, end = math.floor(self.span / 3), math.ceil(self.span / 3) + 50_000
        # The clocks of the processes differ: a message may arrive before it is sent.
        near = [row for row in expected if min(row[2:4]) < end and max(row[2:4]) >= begin]
        self.assertEqual(sorted(self.detail(begin, end).rows(*names)), near)

    def test_buckets_sum_the_time_of_each_region(self):
        regions = Data(ask(f"{self.address_of_page}basis")).head["regions"]
        begin, end = math.floor(self.span / 4), math.floor(self.span / 2)
        data = self.detail(begin, end, buckets=64)
        width, firsts = data.head["width"], data.column("first")
        rows = data.rows("bucket", "place", "time")
        found = {}
        for location, (first, last) in enumerate(zip(firsts, firsts[1:])):
            for bucket, place, time in rows[first:last]:
                region = regions[place - 1] if place else None
                found[location, bucket, region] = time
        expected = {}
        for location in range(4):
            calls = [call for call in self.calls() if call[0] == location]
            # Each time from one event to the next belongs to the call that begins last.
            times = sorted({time for place, _, time, _ in self.events if place == location} | {begin, end})
            edges = sorted({*times, *(begin + bucket * width for bucket in range(65))})
            last_event = max(time for place, _, time, _ in self.events if place == location)
            for one, other in zip(edges, edges[1:]):
                if begin <= one and other <= min(end, last_event):
                    open_calls = [call for call in calls if call[1] <= one and other <= call[2]]
                    region = max(open_calls, key=lambda call: call[1])[3] if open_calls else None
                    key = (location, int((one - begin) // width), region)
                    expected[key] = expected.get(key, 0) + other - one
        self.assertEqual(found.keys() & expected.keys(), expected.keys())
        for key, time in found.items():
            self.assertAlmostEqual(time, expected.get(key, 0), delta=1, msg=str(key))

    def test_events_are_listed(self):
        lines = json.loads(ask(f"{self.address_of_page}events?begin=0&end={self.span}&locations=2"))
        own = [event for event in self.events if event[0] == 2]
        self.assertEqual(lines["total"], len(own))
        self.assertEqual([line["time"] for line in lines["events"]], [event[2] for event in own[:200]])
        self.assertEqual([line["position"] for line in lines["events"]], list(range(200)))
        text = run(FOLDTRACE, "print", "-q", str(self.store), "--at", "2:5")
        self.assertIn(lines["events"][5]["text"], text)

    def test_the_wheel_leads_to_single_calls_and_messages(self):
        page = self.open_address(self.address_of_page)
        location, begin, end, region = max(
            (call for call in self.calls() if call[3] == "MPI_Recv"), key=lambda call: call[2] - call[1]
        )
        middle = (begin + end) / 2
        shown = [0, self.span]
        while shown[1] - shown[0] > 8 * (end - begin):
            before = shown
            self.move(page, (middle - shown[0]) / (shown[1] - shown[0]), AXIS + 20)
            page.mouse.wheel(0, -300)
            page.wait_for_timeout(30)
            shown = self.range(page, "t")
            self.assertLess(shown[1] - shown[0], 0.5 * (before[1] - before[0]))
        shown = [2 * begin - middle, 2 * end - middle]
        page.evaluate(f"location.hash = 't={shown[0]}..{shown[1]}'")
        box = page.locator("#timeline canvas").bounding_box()
        page.wait_for_load_state("networkidle")
        y = AXIS + min(64, (box["height"] - AXIS) // 4) * (location + 0.5)
        self.move(page, (middle - shown[0]) / (shown[1] - shown[0]), y + 8)
        page.wait_for_selector("#note:not([hidden]) >> text=since")
        notes = [row.split("\t")[0] for row in page.inner_text("#note table").splitlines()]
        self.assertEqual(notes[-1], region)
        received = max(
            time for place, kind, time, _ in self.events if place == location and kind == "mpi_recv" and begin <= time <= end
        )
        self.move(page, (received - shown[0]) / (shown[1] - shown[0]), y)
        page.wait_for_selector("#note >> text=Message of")
        page.mouse.down()
        page.mouse.up()
        self.assertEqual(self.address(page)["location"], f"{location}")
        page.wait_for_selector("#events tbody tr")
        texts = [row[2] for row in self.rows(page, "#events")]
        self.assertTrue(any(" recv " in text for text in texts), texts)

    def test_the_profile_of_a_part_is_exact(self):
        times = sorted(time for location, _, time, _ in self.events if location == 1)
        begin, end = times[len(times) // 4], times[len(times) // 2]
        regions = [call[3] for call in self.calls() if call[0] == 1 and begin <= call[1] < end]
        region = max(regions, key=regions.count)
        page = self.open_address(f"{self.address_of_page}#t={begin}..{end}&location=1")
        page.wait_for_function(
            "([region, calls]) => [...document.querySelectorAll('#profile tr')].some(row => "
            "row.cells[0].innerText === region && row.cells[3].innerText === calls)",
            arg=[region, f"{regions.count(region)}"],
        )

    def test_runs_beside_each_other_are_aligned_by_their_loops(self):
        run(FOLDTRACE, "convert", "-q", str(self.store), str(self.folder / "wave.trace"))
        text = (self.folder / "wave.trace").read_text()
        middle = self.origin + self.span * 5 // 6

        def later(time):
            """Returns the time in a run that takes twice as long after a while."""
            return time if time < middle else 2 * time - middle

        text = re.sub(r"\btime=(\d+)", lambda match: f"time={later(int(match[1]))}", text)
        (self.folder / "slow.trace").write_text(text)
        with view(self.folder / "wave.trace", self.folder / "slow.trace") as (site, _):
            overviews = [Data(ask(f"{site}{number}/overview")) for number in range(2)]
            begins, others = (overview.column("loops.0.begin") for overview in overviews)
            self.assertEqual(len(begins), 10)
            self.assertEqual([later(begin + self.origin) - self.origin for begin in begins], list(others))
            page = self.browser.new_page(viewport={"width": 1280, "height": 900})
            self.addCleanup(page.close)
            page.goto(site)
            page.wait_for_selector("body[data-ready]")
            self.assertIn("slow compared with wave", page.inner_text("#comparisons"))
            self.assertGreater(len(self.rows(page, "#comparisons")), 0)
            first, second = page.frames[1:]
            first.wait_for_selector("body[data-ready]")
            second.wait_for_selector("body[data-ready]")
            for one, other, own, their in [(first, second, begins, others), (second, first, others, begins)]:
                one.evaluate(f"location.hash = 't={own[2]}..{own[8]}&selected={own[4]}..{own[6]}'")
                other.wait_for_function(
                    "hash => decodeURIComponent(location.hash) === hash",
                    arg=f"#t={their[2]:.0f}..{their[8]:.0f}&selected={their[4]:.0f}..{their[6]:.0f}",
                )

    def test_only_the_page_and_its_data_can_be_read(self):
        parts = urlsplit(self.site)
        self.assertEqual(parts.hostname, "127.0.0.1")
        self.assertRegex(parts.path, "^/[0-9a-f]{32}/$")

        def status(path, method="GET"):
            connection = HTTPConnection(parts.hostname, parts.port)
            with closing(connection):
                connection.request(method, path)
                return connection.getresponse().status

        self.assertEqual(status("/"), 404)
        self.assertEqual(status("/0/"), 404)
        self.assertEqual(status(f"/{'0' * 32}/0/"), 404)
        self.assertEqual(status(f"{parts.path}0/"), 200)
        self.assertEqual(status(f"{parts.path}1/"), 404)
        self.assertEqual(status(f"{parts.path}0/../../etc/passwd"), 404)
        self.assertEqual(status(f"{parts.path}0/", "POST"), 405)
        self.assertEqual(status(f"{parts.path}0/detail", "DELETE"), 405)
        for query in ["", "?begin=0", "?begin=5&end=2&locations=0", "?begin=0&end=9&locations=x"]:
            self.assertEqual(status(f"{parts.path}0/detail{query}"), 400, query)
        far = f"{parts.path}0/detail?begin=1e300&end=2e300&locations=0-99999999999,7&buckets=99999999999"
        self.assertEqual(status(far), 200)

    def test_a_signal_ends_the_server_and_leaves_nothing(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary)}
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [FOLDTRACE, "view", str(self.source)]
            server = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
            )
            address = server.stdout.readline().strip()
            self.assertTrue(any(temporary.iterdir()))
            ask(f"{address}0/overview")
            server.send_signal(number)
            _, errors = server.communicate(timeout=10)
            self.assertEqual(server.returncode, 0, errors)
            self.assertIn("Ctrl-C", errors)
            self.assertEqual(list(temporary.iterdir()), [])

    def test_a_page_says_that_its_server_is_gone(self):
        page = self.browser.new_page()
        self.addCleanup(page.close)
        with view(self.store) as (site, _):
            page.goto(f"{site}0/")
            page.wait_for_selector("body[data-ready]")
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.evaluate(f"location.hash = 't={self.span / 2}..{self.span / 2 + 100}'")
        page.wait_for_selector("#summary >> text=no more details")
        page.wait_for_timeout(300)
        self.assertEqual(len(requests), 1)

    def test_a_port_that_is_taken_is_an_error(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            command = [FOLDTRACE, "view", str(self.store), "--port", str(taken.getsockname()[1])]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 5)
        self.assertIn("cannot listen", done.stderr)
        self.assertIn("--port", done.stderr)

    def test_old_stores_and_extreme_times(self):
        stores = sorted((ROOT / "tests/data/stores").glob("v[14]/everything*.fold"))
        self.assertEqual(len(stores), 4)
        for store in stores:
            with view(store) as (site, _):
                span = Data(ask(f"{site}0/basis")).head["span"]
                self.assertGreater(span, 1e19)
                ask(f"{site}0/overview")
                for begin, end in [(0, span), (0, 1), (span / 2, span), (span - 4096, 2 * span), (0.3 * span, 0.301 * span)]:
                    part = urlencode({"begin": begin, "end": end, "locations": "0-4", "buckets": 100})
                    data = Data(ask(f"{site}0/detail?{part}"))
                    self.assertEqual(data.head["locations"], [0, 1, 2, 3, 4])
                    self.assertTrue(all(time >= 0 for time in data.column("time")))
                    ask(f"{site}0/events?{part}")

    def test_empty_traces_and_damaged_stores(self):
        empty = self.folder / "empty.trace"
        empty.touch()
        with view(empty, "--from", "text") as (site, _):
            page = self.open_address(f"{site}0/")
            self.assertTrue(page.inner_text("#range").endswith("in all 0 locations"))
        damaged = self.folder / "damaged.fold"
        run("cp", "-r", str(self.store), str(damaged))
        quantity = next(Path(damaged).glob("quantity/*"))
        with quantity.open("r+b") as file:
            file.seek(8)
            file.write(bytes(2000))
        with view(damaged) as (site, server):
            with self.assertRaises(HTTPError) as failure:
                ask(f"{site}0/overview")
            self.assertEqual(failure.exception.code, 500)
            self.assertIn(b"quantity", failure.exception.read())
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=10)
            self.assertEqual(server.returncode, 3)
            self.assertIn("quantity", errors)


if __name__ == "__main__":
    unittest.main()
