"""What the tests of pages share."""

import json
import math
import struct
import tempfile
import unittest
from pathlib import Path
from urllib.parse import parse_qs

from playwright.sync_api import sync_playwright

# The places of the timeline in its picture, in pixels.
MARGIN, AXIS = 110, 22


# The types of columns.
NUMBERS = {"u32": "I", "f32": "f", "f64": "d"}


class Data:
    """Data of a page: a head, and columns of numbers."""

    def __init__(self, packed):
        (length,) = struct.unpack_from("<I", packed)
        self.head = json.loads(packed[4 : 4 + length])
        self._packed = packed
        self._begin = math.ceil((4 + length) / 8) * 8

    def column(self, name):
        place = self.head["columns"][name]
        format = f"<{place['length']}{NUMBERS[place['type']]}"
        return struct.unpack_from(format, self._packed, self._begin + place["offset"])

    def rows(self, *names):
        return list(zip(*map(self.column, names), strict=True))


class BrowserTest(unittest.TestCase):
    """A test with a browser, and with a folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        playwright = cls.enterClassContext(sync_playwright())
        cls.browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def open_address(self, address, **options):
        """Returns the page at an address. The test fails if the page reports an error."""
        page = self.browser.new_page(viewport={"width": 1280, "height": 800}, **options)
        self.addCleanup(page.close)
        problems = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        self.addCleanup(lambda: self.assertEqual(problems, []))
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        self.assertIsNone(page.get_attribute("body", "data-error"))
        page.wait_for_selector(".view:visible :is(canvas, svg)[aria-label]", state="attached")
        return page

    def rows(self, page, place):
        """Returns the texts of the rows of a table."""
        rows = page.locator(f"{place} tbody tr").all()
        return [row.locator("td").all_inner_texts() for row in rows]

    def address(self, page):
        """Returns the parts of the address of a page after `#`."""
        return {name: values[0] for name, values in parse_qs(page.evaluate("location.hash.slice(1)")).items()}

    def range(self, page, name):
        """Returns a range in the address of a page."""
        return [float(end) for end in self.address(page)[name].split("..")]

    def move(self, page, share, y=60):
        """Moves the mouse to a share of the timeline's width."""
        box = page.locator("#timeline canvas").bounding_box()
        page.mouse.move(box["x"] + MARGIN + share * (box["width"] - MARGIN), box["y"] + y)
