"""Uses reports in a real browser."""

import base64
import csv
import gzip
import html
import json
import math
import re
import struct
import unittest
from collections import defaultdict
from xml.etree import ElementTree

from browser import AXIS, BrowserTest, Data
from pyarrow import parquet
from sources import FOLDTRACE, ROOT, run

# The location and the time of an event that otf2-print prints.
EVENT = re.compile(r"^[A-Z_]+ +(\d+) +(\d+)", re.MULTILINE)


class ReportTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store = cls.folder / "wave-4.fold"
        run(FOLDTRACE, "convert", "-q", str(ROOT / "examples/wave-4"), str(cls.store))
        cls.wave = cls.report(cls.store)

    @classmethod
    def report(cls, trace, *options, to=None):
        """Returns the report of a trace, which is beside it unless it is written `to` another place."""
        page = to or trace.with_suffix(".html")
        run(FOLDTRACE, "report", "-q", str(trace), *options, "-o", str(page))
        return page

    def data(self):
        """Returns the data of a page."""
        text = re.search(r'<script id="data" type="application/json">\s*\{"data":"(.*?)"', self.wave.read_text())[1]
        return Data(gzip.decompress(base64.b64decode(text)))

    def open(self, report, fragment="", **options):
        """Returns a page that shows a report."""
        return self.open_address(f"file://{report}{fragment}", **options)

    def test_the_profile_is_that_of_the_command(self):
        profile = json.loads(run(FOLDTRACE, "profile", "--json", str(self.store)))
        found = [row for row in self.rows(self.open(self.wave), "#profile") if row[0] != "no call"]
        self.assertEqual([row[0] for row in found], [region["name"] for region in profile["regions"]])
        for (_, _, share, calls, _), region in zip(found, profile["regions"], strict=True):
            self.assertAlmostEqual(float(share.removesuffix(" %")), 100 * region["share"], delta=0.06)
            self.assertEqual(int(calls.replace(",", "")), region["calls"])

    def test_the_wheel_zooms_around_the_pointer(self):
        page = self.open(self.wave)
        self.move(page, 0.25)
        page.mouse.wheel(0, -300)
        page.wait_for_function("location.hash")
        begin, end = self.range(page, "t")
        page.keyboard.press("Home")
        _, span = self.range(page, "t")
        self.assertAlmostEqual((end - begin) / span, 1 / math.e, delta=0.01)
        self.assertAlmostEqual((begin + 0.25 * (end - begin)) / span, 0.25, delta=0.01)

    def test_a_drag_selects_and_keys_move(self):
        page = self.open(self.wave)
        self.move(page, 0.2)
        page.mouse.down()
        self.move(page, 0.6)
        page.mouse.up()
        begin, end = self.range(page, "selected")
        _, span = self.range(page, "t")
        self.assertAlmostEqual(begin / span, 0.2, delta=0.01)
        self.assertAlmostEqual(end / span, 0.6, delta=0.01)
        self.assertTrue(page.inner_text("#range").startswith("Selected: 0.00"))
        page.keyboard.press("z")
        self.assertEqual(self.range(page, "t"), [begin, end])
        page.keyboard.press("ArrowRight")
        self.assertAlmostEqual((self.range(page, "t")[0] - begin) / span, 0.1, delta=0.01)
        page.go_back()
        page.wait_for_function("new URLSearchParams(location.hash.slice(1)).has('selected')")
        self.assertEqual(self.range(page, "selected"), [begin, end])

    def test_shift_and_a_drag_move(self):
        page = self.open(self.wave, "#t=10000000..20000000")
        self.move(page, 0.8)
        page.keyboard.down("Shift")
        page.mouse.down()
        self.move(page, 0.3)
        page.mouse.up()
        page.keyboard.up("Shift")
        begin, end = self.range(page, "t")
        self.assertAlmostEqual(begin, 15_000_000, delta=30_000)
        self.assertAlmostEqual(end - begin, 10_000_000, delta=2)

    def test_a_click_chooses_a_location(self):
        page = self.open(self.wave)
        self.move(page, 0.5, AXIS + 3)
        page.mouse.down()
        page.mouse.up()
        self.assertEqual(self.address(page)["location"], "0")
        self.assertNotIn("all", page.inner_text("#range"))
        self.assertEqual(dict(row[::3][:2] for row in self.rows(page, "#profile"))["MPI_Bcast"], "1")
        page.keyboard.press("Escape")
        self.assertIn("all 4 locations", page.inner_text("#range"))

    def test_the_matrix_is_that_of_the_command(self):
        pairs = json.loads(run(FOLDTRACE, "matrix", "--json", "--bytes", str(self.store)))["pairs"]
        page = self.open(self.wave)
        page.locator("#views [data-view=communication]:visible").click()
        self.assertEqual(self.address(page)["view"], "communication")
        self.assertEqual(page.get_attribute("#matrix canvas", "aria-label"), "Matrix of messages between 4 locations")
        expected = {
            f"{pair['sender']} → {pair['receiver']}": [f"{pair['messages']}", f"{pair['bytes'] / 1000:.1f} kB"]
            for pair in pairs
        }
        self.assertEqual({row[0]: row[1:3] for row in self.rows(page, "#channels")}, expected)

    def test_the_matrix_of_a_loop_is_that_of_the_command(self):
        matrix = run(FOLDTRACE, "matrix", "--json", "--bytes", "--construct", "2", str(self.store))
        pairs = json.loads(matrix)["pairs"]
        page = self.open(self.wave, "#view=loops")
        page.locator("#loops h2 a").first.click()
        self.assertEqual(self.address(page), {"view": "communication", "loop": "2"})
        found = {row[0]: row[1] for row in self.rows(page, "#channels")}
        self.assertEqual(found, {f"{pair['sender']} → {pair['receiver']}": f"{pair['messages']}" for pair in pairs})
        page.locator("#measures button", has_text="waiting").click()
        self.assertIn("waiting", page.get_attribute("#matrix canvas", "aria-label"))
        page.locator("#measures select").select_option("the program")
        self.assertNotIn("loop", self.address(page))

    def test_waiting_is_that_of_the_command(self):
        table = self.folder / "waits.parquet"
        run(FOLDTRACE, "waits", "-q", str(self.store), "--table", str(table))
        rows = parquet.read_table(table).to_pylist()
        self.assertGreater(len(rows), 50)
        data = self.data()
        locations = sorted({row["location"] for row in rows} | {row["late_location"] for row in rows})
        self.assertEqual(len(locations), len(data.head["locations"]))
        classes, firsts = data.head["waits"]["classes"], data.column("waits.first")
        found = data.rows("waits.place", "waits.time", "waits.calls")
        for location, first, last in zip(locations, firsts, firsts[1:], strict=False):
            for place, title in enumerate(classes, 1):
                name = title.removeprefix("late sender, ").lower().replace("n×n", "nxn").replace(" ", "_")
                own = [row["waited"] for row in rows if (row["location"], row["class"]) == (location, name)]
                time = sum(time for of, time, _ in found[first:last] if of == place)
                self.assertAlmostEqual(time, sum(own), delta=1 + 1e-5 * time)
                self.assertAlmostEqual(sum(calls for of, _, calls in found[first:last] if of == place), len(own), delta=0.01)
        # Only a broadcast and a barrier are outside of the loop.
        in_loop = [row for row in rows if row["class"] not in {"late_broadcast", "wait_at_barrier"}]
        self.assertLess(len(in_loop), len(rows))
        for prefix, waits in ("", rows), ("loops.0.", in_loop):
            waited = data.rows(*(f"{prefix}channels.{name}" for name in ("sender", "receiver", "waiting")))
            expected = defaultdict(int)
            for row in waits:
                expected[row["location"], row["late_location"]] += row["waited"]
            found = {(locations[a], locations[b]): time for a, b, time in waited if time}
            self.assertEqual(found, {pair: time for pair, time in expected.items() if time})

    def test_the_longest_wait_is_a_link(self):
        page = self.open(self.wave)
        page.locator("#views [role=tab]", has_text="Waiting").click()
        page.locator("#waiting canvas[aria-label]").wait_for()
        times = [row[3] for row in self.rows(page, "#waits")]
        self.assertGreater(len(times), 20)
        page.locator("#waits a").first.click()
        begin, end = self.range(page, "selected")
        self.assertEqual(f"{(end - begin) / 1e6:.3g} ms", times[0])
        self.assertIn("in location", page.inner_text("#range"))

    def test_lateness_is_that_of_the_command(self):
        table = self.folder / "steps.parquet"
        run(FOLDTRACE, "steps", "-q", "--leaps", str(self.store), "--table", str(table))
        rows = parquet.read_table(table).to_pylist()
        data = self.data()
        each, firsts = data.head["lateness"]["steps_of_range"], data.column("lateness.first")
        self.assertEqual(each, 1)
        self.assertEqual(data.head["lateness"]["steps"], 1 + max(row["step"] for row in rows))
        late = defaultdict(list)
        for row in rows:
            late[row["location"], row["step"] // each].append((row["lateness"], -row["position"], row["step"]))
        events = run(FOLDTRACE, "print", str(self.store), "-l", "0")
        times = {int(event.split("\t")[0]): int(re.search(r"time=(\d+)", event)[1]) for event in events.splitlines()}
        origin = min(int(time) for time in re.findall(r"time=(\d+)", run(FOLDTRACE, "print", str(self.store))))
        ranges = data.rows("lateness.range", "lateness.step", "lateness.late", "lateness.time")
        locations = sorted({row["location"] for row in rows})
        found = {
            (location, step_range): (ticks, step)
            for location, first, last in zip(locations, firsts, firsts[1:], strict=False)
            for step_range, step, ticks, _ in ranges[first:last]
        }
        single = struct.Struct("f")
        expected = {place: (*single.unpack(single.pack(max(of)[0])), max(of)[2]) for place, of in late.items()}
        self.assertEqual(found, expected)
        self.assertGreater(sum(ticks > 0 for ticks, _ in found.values()), 300)
        for step_range, _, _, time in ranges[: firsts[1]]:
            position = -max(late[locations[0], step_range])[1]
            self.assertEqual(time, times[position] - origin)

    def test_a_cell_of_lateness_opens_its_time(self):
        page = self.open(self.wave)
        page.locator("#views [data-view=lateness]:visible").click()
        origins = json.loads(run(FOLDTRACE, "steps", "--leaps", "--json", str(self.store)))
        found = [(row[0], row[1], row[2]) for row in self.rows(page, "#origins")]
        expected = origins["origins"] + origins["in_operations"]
        self.assertEqual(found, [(one["label"], str(one["position"]), str(one["step"])) for one in expected])
        box = page.locator("#lateness canvas").bounding_box()
        page.mouse.move(box["x"] + box["width"] - 4, box["y"] + AXIS + 4)
        self.assertRegex(page.inner_text("#note"), r"^0\s+latest at step\s+\d+\s+late\s")
        page.mouse.down()
        page.mouse.up()
        self.assertEqual(self.address(page)["location"], "0")
        self.assertNotIn("view", self.address(page))
        page.go_back()
        page.locator("#origins a").first.click()
        self.assertEqual(self.address(page)["location"], expected[0]["label"])
        self.assertIn("selected", self.address(page))

    def test_a_cell_of_the_matrix_chooses_its_sender(self):
        page = self.open(self.wave, "#view=communication")
        box = page.locator("#matrix canvas").bounding_box()
        cell = (box["width"] - 62) / 4
        page.mouse.move(box["x"] + 60 + 0.5 * cell, box["y"] + 24 + 2.5 * cell)
        self.assertRegex(page.inner_text("#note"), r"^2 → 0\s+messages\s+80\s+bytes\s+10\.2 kB")
        page.mouse.down()
        page.mouse.up()
        self.assertEqual(self.address(page)["location"], "2")
        self.assertTrue(page.inner_text("#range").endswith("in location 2"))
        page.locator("#views [data-view=timeline]:visible").first.click()
        self.assertEqual(self.address(page), self.address(page) | {"location": "2"})
        self.assertNotIn("view", self.address(page))

    def test_iterations_are_those_of_the_command(self):
        rows = csv.DictReader(run(FOLDTRACE, "extract", "-c", "2", "--iterations", str(self.store)).splitlines())
        iterations = defaultdict(list)
        for row in rows:
            iterations[int(row["i0"])].append((int(row["time"]), int(row["end_time"])))
        origin = min(int(time) for _, time in EVENT.findall(run("otf2-print", str(ROOT / "examples/wave-4/eztrace_log.otf2"))))
        page = self.open(self.wave, "#view=loops")
        self.assertIn("Loop 2: 10 iterations, 8.7 % of the time", page.inner_text("#loops h2"))
        box = page.locator("#loops canvas").bounding_box()
        for iteration, times in iterations.items():
            page.mouse.move(box["x"] + (iteration + 0.5) / 10 * box["width"], box["y"] + 40)
            longest = max(end - begin for begin, end in times)
            shown = page.inner_text("#note")
            self.assertRegex(shown, rf"^iteration {iteration}\s+longest process\s+{longest / 1000:.3g} µs")
            page.mouse.down()
            page.mouse.up()
            begin, end = self.range(page, "selected")
            self.assertEqual(begin, min(begin for begin, _ in times) - origin)
            self.assertEqual(end, max(end for _, end in times) - origin)

    def test_a_drag_selects_iterations(self):
        page = self.open(self.wave, "#view=loops")
        page.locator("#loops h2 button").click()
        longest = self.range(page, "selected")
        box = page.locator("#loops canvas").bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 40)
        page.mouse.up()
        begin, end = self.range(page, "selected")
        self.assertLess(begin, longest[0] + 1)
        self.assertGreater(end, longest[1] - 1)
        page.locator("#views [data-view=timeline]:visible").first.click()
        self.assertEqual(self.range(page, "selected"), [begin, end])

    def test_the_model_is_that_of_the_command(self):
        page = self.open(self.wave, "#view=loops")
        self.assertIn("loop 2: 8.7 % of the time", page.locator("#model details[open] > summary").first.inner_text())
        page.locator("#model details[open] > summary button").first.click()
        begin, end = self.range(page, "selected")
        self.assertLess(begin, end)
        for options, tab in [(["--spmd"], "equal processes together"), ([], "each process")]:
            page.locator("#model [role=tab]", has_text=tab).click()
            while closed := page.locator("#model details:not([open]):visible > summary").all():
                closed[0].click()
            found = page.locator("#model code:visible").all_inner_texts()
            lines = run(FOLDTRACE, "loops", "-q", "--global", *options, str(self.store)).splitlines()
            lines = [line.strip() for line in lines if not line.startswith("//")]
            self.assertEqual(found, [line for line in lines if line != "done"])

    def test_patterns_are_those_of_the_command(self):
        page = self.open(self.wave, "#view=patterns")
        data = self.data()
        summary = run(FOLDTRACE, "patterns", "-q", "--format", "html", str(self.store))
        self.assertIn(page.inner_text("#patterns-summary"), summary)
        rows = self.rows(page, "#patterns-list")
        self.assertGreater(len(rows), 5)
        names = re.findall(r"P\d+: ([^<\"]*)", summary)
        self.assertTrue(all(name.split(": ", 1)[1].rstrip("…") in "\n".join(names) for name, *_ in rows), rows)
        for number in (0, 1):
            page.locator("#patterns-list button").nth(number).click()
            self.assertGreater(page.locator("#pattern svg title").count(), 0)
            occurrences = int(rows[number][2].replace(",", ""))
            pattern = data.head["patterns"]["patterns"][number]
            self.assertEqual(sum(count for _, _, count in pattern["bins"]), occurrences)
        unusual = json.loads(run(FOLDTRACE, "filter", "-q", "--json", "--top", "30", str(self.store)))
        for tab, points in [("compute", unusual["computing"]), ("communicate", unusual["communicating"])]:
            page.locator("#unusual [role=tab]", has_text=tab).click()
            self.assertEqual(self.address(page)["view"], "patterns")
            shown = page.locator("#unusual tbody tr:visible")
            self.assertEqual(shown.count(), len(points))
            cells = shown.first.locator("td").all_inner_texts()
            self.assertEqual([cells[1], cells[4]], [points[0]["label"], points[0]["calls"]])
        begin = unusual["communicating"][0]["begin"]
        origin = min(int(time) for _, time in EVENT.findall(run("otf2-print", str(ROOT / "examples/wave-4/eztrace_log.otf2"))))
        shown.first.locator("a").click()
        self.assertEqual(self.range(page, "selected")[0], begin - origin)

    def test_metrics_are_curves(self):
        trace = self.folder / "metrics.trace"
        lines = [
            '#: string id=0 "energy"', '#: string id=1 "J"', '#: string id=2 "power"', '#: string id=3 "W"',
            "#: metric_member id=0 name=0 unit=1 mode=0 value_type=4 base=1 exponent=0",
            "#: metric_member id=1 name=2 unit=3 mode=1 value_type=4 base=1 exponent=0",
            "#: metric_class id=7 members=0,1",
        ]
        for location in range(2):
            for step in range(100):
                power = 10 * (location + 1) + (5 if step >= 50 else 0)
                lines.append(f"{location} local metric metric=7 time={step} value.0=uint64:{step * power} value.1=uint64:{power}")
        trace.write_text("\n".join(lines) + "\n")
        page = self.open(self.report(trace, "--from", "text"))
        page.locator("#views [role=tab]", has_text="Metrics").click()
        self.assertEqual(page.locator(".uplot[aria-label]").get_attribute("aria-label"), "energy (J) of 2 locations")
        page.locator("#metric-names button", has_text="power (W)").click()
        self.assertEqual([row[1:] for row in self.rows(page, "#metric-values")], [["10", "12.5", "15"], ["20", "22.5", "25"]])
        box = page.locator(".u-over").bounding_box()
        page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 60, steps=4)
        page.mouse.up()
        begin, end = self.range(page, "selected")
        self.assertAlmostEqual(begin, 75, delta=2)
        self.assertAlmostEqual(end, 95, delta=2)
        self.assertEqual([row[1:] for row in self.rows(page, "#metric-values")], [["15", "15", "15"], ["25", "25", "25"]])
        page.locator("#metric-values button").nth(1).click()
        self.assertEqual(self.address(page)["location"], "1")

    def test_single_calls_and_messages_of_a_short_run(self):
        printed = run("otf2-print", str(ROOT / "examples/wave-4/eztrace_log.otf2"))
        origin = min(int(time) for _, time in EVENT.findall(printed))
        first = min(int(time) for time in re.findall(r"^MPI_RECV +0 +(\d+)", printed, re.MULTILINE))
        begin, end = first - origin - 3_000, first - origin + 3_000
        page = self.open(self.wave, f"#t={begin}..{end}")
        self.move(page, 0.5, AXIS + 32)
        self.assertIn("Message of 128 B", page.inner_text("#note"))
        self.assertIn(f"at {(first - origin) / 1e9:.9f} s", page.inner_text("#note"))
        self.move(page, 0.5, AXIS + 50)
        note = page.inner_text("#note")
        self.assertIn("since", note)
        self.assertIn("MPI_Recv", note)

    def test_single_calls_where_links_of_a_long_run_lead(self):
        lines = []
        for turn in range(3500):
            begin, work = 1000 * turn, 200
            if turn >= 2000:
                begin += 30_000
            if turn == 2000:
                begin, work = 1000 * turn, 30_200
            for rank, kind, time in [
                (0, "local enter compute", 0),
                (0, "local leave compute", work),
                (0, "local enter MPI_Send", work),
                (0, "send 1 7", work + 10),
                (0, "local leave MPI_Send", work + 20),
                (1, "local enter MPI_Recv", 5),
                (1, "0 recv 1 7", work + 30),
                (1, "local leave MPI_Recv", work + 40),
            ]:
                lines.append(f"{'' if kind.startswith('0') else f'{rank} '}{kind} time={begin + time}")
        trace = self.folder / "late.trace"
        trace.write_text("\n".join(lines) + "\n")
        page = self.open(self.report(trace), "#view=waiting")
        page.locator("#waits a").first.click()
        page.wait_for_function("new URLSearchParams(location.hash.slice(1)).has('selected')")
        begin, end = self.range(page, "selected")
        self.assertEqual([begin, end], [2_000_005, 2_030_200])
        self.move(page, 0.5, AXIS + 80)
        self.assertRegex(page.inner_text("#note"), r"since\s+takes\s+event\s+MPI_Recv\s+0.002000005 s\s+30.2 µs\s+6000$")
        # The message arrives at three quarters of the picture.
        self.move(page, 0.7503, AXIS + 64)
        self.assertIn("Message", page.inner_text("#note"))
        # Elsewhere, the page has no single calls.
        page.evaluate("location.hash = '#t=100000..101000'")
        self.move(page, 0.5, AXIS + 81)
        page.wait_for_function("!document.getElementById('note').textContent.includes('since')")

    def test_call_paths_are_those_of_the_folded_stacks(self):
        inclusive = defaultdict(int)
        stacks = run(FOLDTRACE, "profile", "--format", "folded", str(ROOT / "examples/vcycle-4")).splitlines()
        for stack, time in (line.rsplit(" ", 1) for line in stacks):
            regions = stack.split(";")
            for depth in range(len(regions) + 1):
                inclusive[" / ".join(regions[:depth])] += int(time)
        page = self.open(self.report(ROOT / "examples/vcycle-4", to=self.folder / "vcycle.html"), "#view=calls")
        found = {path: float(share.removesuffix(" %")) for path, share, _ in self.rows(page, "#paths")}
        self.assertGreater(len(found), 10)
        for path, share in found.items():
            self.assertAlmostEqual(share, 100 * inclusive[path] / inclusive[""], delta=0.06, msg=path)

    def test_a_click_widens_a_call_path(self):
        page = self.open(self.wave, "#view=calls")
        box = page.locator("#flames canvas").bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 50)
        title = page.inner_text("#note strong")
        self.assertEqual(page.inner_text("#note tr:first-child td:first-child"), "inclusive")
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 50)
        self.assertTrue(page.locator("#note").is_hidden() or page.inner_text("#note strong") != title)
        page.mouse.move(box["x"] + 10, box["y"] + 50)
        page.mouse.down()
        page.mouse.up()
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 10)
        self.assertEqual(page.inner_text("#note strong"), title)

    def test_each_finding_and_each_row_with_a_link_opens_what_it_names(self):
        page = self.open(self.wave)
        findings = page.locator("#findings a").all()
        self.assertGreaterEqual(len(findings), 3)
        self.assertRegex(findings[0].inner_text(), r"^MPI takes 96\.\d % of the time, MPI_\w+ alone")
        for link in findings:
            self.opens(page, link)
        shown = []
        for tab in page.locator("#facts [role=tab]").all():
            tab.click()
            shown.append(tab.inner_text())
            for link in page.locator("#facts td a:visible").all():
                self.opens(page, link)
        self.assertEqual(shown, ["Regions", "Efficiency", "Loops", "What others wait for"])

    def shown(self, page):
        """Returns the view, the range and the emphasised regions that a page shows."""
        view = page.locator("#views > [role=tablist] [aria-selected=true]").inner_text()
        return view, page.inner_text("#range"), page.locator("#profile tr.chosen").all_inner_texts()

    def opens(self, page, link):
        """Checks that a link changes what the page shows."""
        page.keyboard.press("Escape")
        page.keyboard.press("Home")
        before = self.address(page)
        shown = self.shown(page)
        link.click()
        self.assertNotEqual(self.address(page), before, link.inner_text())
        self.assertNotEqual(self.shown(page), shown, link.inner_text())

    def test_commands_answer_the_questions(self):
        text = (ROOT / "docs/questions.md").read_text()
        commands = re.findall(r"`foldtrace (.*?) run\.fold(.*?)` \|$", text, re.MULTILINE)
        self.assertEqual(len(commands), 14)
        for command, options in commands:
            options = options.replace("later.fold", str(self.store))
            self.assertTrue(run(FOLDTRACE, command, "-q", str(self.store), *options.split()), command)

    def test_three_clicks_answer_the_questions(self):
        page = self.open(self.wave)
        page.locator("#findings a", has_text="MPI takes").click()
        self.assertEqual(page.locator("#profile tr.chosen").count(), 1)
        page.locator("#findings a", has_text="times as long").click()
        self.assertIn("in location", page.inner_text("#range"))
        page.locator("#facts [role=tab]", has_text="Efficiency").click()
        self.assertIn("transfer", page.locator("#facts table:visible").inner_text())
        page.locator("#facts [role=tab]", has_text="What others wait for").click()
        page.locator("#facts td a:visible").first.click()
        self.assertIn("in location", page.inner_text("#range"))
        page.locator("#facts [role=tab]", has_text="Loops").click()
        page.locator("#facts td a:visible").first.click()
        self.assertIn("in all 4 locations", page.inner_text("#range"))
        page.locator("#views [role=tab]", has_text="Waiting").click()
        page.locator("#waits a").first.click()
        self.assertIn("Selected", page.inner_text("#range"))
        page.locator("#views [role=tab]", has_text="Lateness").click()
        page.locator("#origins a").first.click()
        self.assertIn("in location", page.inner_text("#range"))
        page.locator("#views [role=tab]", has_text="Loops").click()
        page.locator("#loops button").first.click()
        page.locator("#views [role=tab]", has_text="Timeline").click()
        iteration = self.range(page, "selected")
        page.keyboard.press("z")
        self.assertEqual(self.range(page, "t"), iteration)

    def test_the_search_finds_regions(self):
        page = self.open(self.wave)
        page.keyboard.press("/")
        page.keyboard.type("bcast")
        self.assertEqual([row[0] for row in self.rows(page, "#profile")], ["MPI_Bcast"])
        page.keyboard.press("Escape")
        page.locator("#profile button").click()
        self.assertEqual(self.address(page)["region"], "MPI_Bcast")

    def test_an_address_opens_what_it_names(self):
        page = self.open(self.wave, "#t=1000000..2000000&location=2")
        self.assertRegex(page.inner_text("#range"), r"^Shown: 0\.001\d* s to 0\.002\d* s, 1 ms, in ")
        label = page.get_attribute("canvas", "aria-label")
        self.assertTrue(label.startswith("Timeline of 4 locations from 0.001"), label)

    def test_the_picture_is_saved(self):
        page = self.open(self.wave)
        with page.expect_download() as download:
            page.keyboard.press("p")
        self.assertEqual(download.value.suggested_filename, "wave-4.png")
        self.assertEqual(download.value.path().read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_pictures_are_saved_as_shapes(self):
        page = self.open(self.wave)
        contents = {
            "timeline": ["image", "P#0T#0"],
            "waiting": ["image", "P#3T#0"],
            "loops": ["rect"],
            "communication": ["rect", ">3<"],
            "calls": ["rect", "MPI_Bcast"],
            "patterns": ["rect", "to"],
        }
        for view, expected in contents.items():
            page.locator(f"#views [role=tab][data-view={view}]").click()
            page.wait_for_timeout(100)
            with page.expect_download() as download:
                page.keyboard.press("s")
            self.assertEqual(download.value.suggested_filename, "wave-4.svg")
            text = download.value.path().read_text()
            self.assertEqual(ElementTree.fromstring(text).tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotIn("var(", text)
            for part in expected:
                self.assertIn(part, text, view)

    def test_the_page_has_a_dark_mode(self):
        def ground(scheme):
            page = self.open(self.wave, color_scheme=scheme)
            return page.evaluate("[...document.querySelector('canvas').getContext('2d').getImageData(2, 2, 1, 1).data]")

        self.assertEqual(ground("light"), [255, 255, 255, 255])
        self.assertEqual(ground("dark"), [23, 25, 29, 255])

    def test_names_remain_text(self):
        trace = self.folder / "names.trace"
        name = r"</script><script>alert(1)</script>\"'&amp;<b>"
        times = [("enter", 0), ("leave", 5), ("enter", 5), ("leave", 5)]
        trace.write_text("".join(f'0 local {action} "{name}" time={time}\n' for action, time in times))
        page = self.open(self.report(trace, "--from", "text"))
        shown = name.replace("\\", "")
        self.assertEqual([row[::3] for row in self.rows(page, "#profile")], [[shown, "2"]])
        self.assertEqual(page.locator("main script, main b").count(), 0)

    def test_long_names_are_cut_off(self):
        trace = self.folder / "long.trace"
        name = "long " * 200_000
        trace.write_text(f'0 local enter "{name}" time=0\n0 local leave "{name}" time=5\n')
        page = self.open(self.report(trace, "--from", "text"))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1280)
        self.assertLess(page.locator("#overview").bounding_box()["height"], 300)

    def test_a_page_within_a_page_works(self):
        page = self.browser.new_page()
        self.addCleanup(page.close)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        within = html.escape(self.wave.read_text())
        page.set_content(f'<iframe srcdoc="{within}" style="width: 1200px; height: 600px"></iframe>')
        frame = page.frame_locator("iframe")
        frame.locator("body[data-ready]").wait_for()
        frame.locator("#profile button").first.click()
        self.assertEqual(frame.locator("#profile tr.chosen").count(), 1)
        frame.locator("#findings a").last.click()
        frame.locator("#matrix canvas[aria-label]").wait_for()
        self.assertEqual(problems, [])

    def test_old_stores_and_all_kinds_of_events_have_reports(self):
        stores = sorted((ROOT / "tests/data/stores").glob("v[14]/everything*.fold"))
        self.assertEqual(len(stores), 4)
        for store in stores:
            to = self.folder / f"{store.parent.name}-{store.stem}.html"
            page = self.open(self.report(store, to=to))
            self.assertGreater(len(self.rows(page, "#profile")), 0, store)

    def test_an_empty_trace_has_an_empty_page(self):
        trace = self.folder / "empty.trace"
        trace.touch()
        page = self.open(self.report(trace, "--from", "text"))
        self.assertTrue(page.inner_text("#range").endswith("in all 0 locations"))

    def test_many_locations_scroll(self):
        trace = self.folder / "many.trace"
        calls = "{0} local enter work time=0\n{0} local leave work time=100\n"
        trace.write_text("".join(calls.format(rank) for rank in range(1000)))
        page = self.open(self.report(trace, "--from", "text"))
        height = page.evaluate("document.getElementById('timeline').scrollHeight")
        self.assertGreaterEqual(height, 1000 * 4)
        page.evaluate("document.getElementById('timeline').scrollTo(0, 1e6)")
        self.move(page, 0.5, page.locator("#timeline").bounding_box()["height"] - 2)
        self.assertIn("999", page.inner_text("#note"))


if __name__ == "__main__":
    unittest.main()
