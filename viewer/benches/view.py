"""Measures `foldtrace view` on a store, as its user sees it, in headless Chromium with software rendering.

    python viewer/benches/view.py target/release/foldtrace STORE

Prints the times from the start of the command to the first paint of the page, to its timeline, and to its overview; then, for
zooms to random parts of the run of each length, the time until the details are shown, and the time of the answer alone; finally, the greatest
memory of the server. Run as root, it empties the cache of files before each step.
"""

import random
import re
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

SHARES = [0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6]
EACH = 8
CACHE = Path("/proc/sys/vm/drop_caches")


def forget_files():
    """Empties the cache of files. Returns whether that was possible."""
    try:
        CACHE.write_text("3")
    except OSError:
        return False
    return True


def peak(process):
    """Returns the greatest memory of a process so far, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1000


def main(foldtrace, store):
    is_cold = forget_files()
    print("cache of files:", "cold" if is_cold else "warm, because only root can empty it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        begin = time.perf_counter()
        server = subprocess.Popen([foldtrace, "-q", "view", store], stdout=subprocess.PIPE, text=True)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        answers = []
        page.on("requestfinished", lambda request: answers.append((request.url, request.timing["responseEnd"])))
        page.goto(f"{server.stdout.readline().strip()}0/")
        paint = "performance.getEntriesByName('first-paint')[0]?.startTime"
        page.wait_for_function(paint)
        since = time.perf_counter() - begin - page.evaluate("performance.now()") / 1000
        print(f"first paint    {since + page.evaluate(paint) / 1000:6.2f} s")
        page.wait_for_selector("[data-usable]", timeout=600_000)
        print(f"timeline       {time.perf_counter() - begin:6.2f} s, {peak(server):.0f} MB")
        page.wait_for_selector("[data-ready]", timeout=3_600_000)
        print(f"overview       {time.perf_counter() - begin:6.2f} s, {peak(server):.0f} MB")
        page.evaluate("location.hash = ''")
        span = float(page.evaluate("(async () => { const d = await (await fetch('basis')).arrayBuffer();"
                                   "const l = new DataView(d).getUint32(0, true);"
                                   "return JSON.parse(new TextDecoder().decode(new Uint8Array(d, 4, l))).span })()"))
        random.seed(1)
        print("\nshare of the run   until shown: median, greatest   answer: median, greatest   answers")
        for share in SHARES:
            shown, times, before = [], [], len(answers)
            for _ in range(EACH):
                forget_files()
                first = random.random() * span * (1 - share)
                shown.append(page.evaluate(ZOOM, [first, first + share * span]))
            page.wait_for_timeout(100)
            times = [end for url, end in answers[before:] if "/detail?" in url] or [0]
            print(f"{share:<16g} {median(shown):14.0f} ms {max(shown):10.0f} ms "
                  f"{median(times):14.0f} ms {max(times):6.0f} ms {len(times):9}")
        print(f"\ngreatest memory of the server: {peak(server):.0f} MB")
        browser.close()
        server.terminate()
        server.wait()


# Shows a part, and returns the milliseconds until the details of all locations are drawn.
ZOOM = """async ([begin, end]) => {
  const start = performance.now();
  location.hash = `t=${begin}..${end}`;
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const canvas = document.querySelector('#timeline canvas');
  do await frame(); while (canvas.dataset.isComplete !== 'true' || !canvas.ariaLabel);
  return performance.now() - start;
}"""


def median(values):
    return sorted(values)[len(values) // 2]


if __name__ == "__main__":
    main(*sys.argv[1:])
