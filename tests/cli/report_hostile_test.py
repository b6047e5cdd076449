"""Texts of runs that want to be scripts: in names, configs, tokens, outputs, verdicts. None of them runs."""

import csv
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import made_up_runs as made
from browser import Browser, needs_a_browser

PLUMB = str(Path(os.environ["PLUMB_BIN_DIR"]) / "plumb")

# Each would set window.hit if it ran.
HOSTILE = [
    "<script>window.hit=1</script>",
    "</script><script>window.hit=2</script>",
    "<!--<script>window.hit=3</script>-->",
    "<img src=x onerror=window.hit=4>",
    "<img src=x onerror='window.hit=5'//",
    "<svg onload=window.hit=6>",
    "<svg><script>window.hit=7</script></svg>",
    "<svg><animate onbegin=window.hit=8 attributeName=x dur=1s>",
    "<body onload=window.hit=9>",
    "<iframe srcdoc='<script>parent.hit=10</script>'></iframe>",
    "<iframe src=javascript:parent.hit=11></iframe>",
    "<a href=javascript:window.hit=12 id=click>x</a>",
    "javascript:window.hit=13",
    "<details open ontoggle=window.hit=14>",
    "<input autofocus onfocus=window.hit=15>",
    "<video><source onerror=window.hit=16></video>",
    "<audio src=x onerror=window.hit=17>",
    "<object data=javascript:window.hit=18>",
    "<embed src=javascript:window.hit=19>",
    "<meta http-equiv=refresh content='0;url=javascript:window.hit=20'>",
    "<base href='javascript:window.hit=21//'>",
    "<link rel=stylesheet href='data:text/css,*{x:expression(window.hit=22)}'>",
    "<style>@import 'javascript:window.hit=23';</style>",
    "<math href=javascript:window.hit=24>x</math>",
    "<form action=javascript:window.hit=25><button>x</button></form>",
    "<button onclick=window.hit=26>x</button>",
    "<marquee onstart=window.hit=27>x</marquee>",
    "<xss onpointerenter=window.hit=28 style=position:fixed;inset:0>x</xss>",
    '"><script>window.hit=29</script>',
    "'><script>window.hit=30</script>",
    '" onmouseover=window.hit=31 x="',
    "' onmouseover=window.hit=32 x='",
    "`-window.hit=33-`",
    "${window.hit=34}",
    "{{constructor.constructor('window.hit=35')()}}",
    "{{script}}",
    '"};window.hit=36;//',
    '\\"};window.hit=37;//',
    "'];window.hit=38;//",
    "\\u003cscript>window.hit=39</script>",
    "&lt;script&gt;window.hit=40&lt;/script&gt;",
    "&#60;script&#62;window.hit=41&#60;/script&#62;",
    "%3Cscript%3Ewindow.hit=42%3C/script%3E",
    "\u2028window.hit=43\u2028",
    "\u2029window.hit=44//",
    "<scr<script>ipt>window.hit=45</scr</script>ipt>",
    "<ScRiPt>window.hit=46</sCrIpT>",
    "<script/x>window.hit=47</script>",
    "<script\t>window.hit=48</script >",
    "<svg/onload=window.hit=49//",
    "<template><script>window.hit=50</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=window.hit=51>">',
    "]]><script>window.hit=52</script>",
    "<?xml version='1.0'?><script xmlns='http://www.w3.org/1999/xhtml'>window.hit=53</script>",
    "__proto__",
    "constructor",
    '=HYPERLINK("javascript:window.hit=54")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\u202ewindow.hit=55\u202c<img src=x onerror=window.hit=55>",
    "<img src=x onerror=\u0022window.hit=56\u0022>",
    'a\r\n=HYPERLINK("javascript:window.hit=57"),=1+1;=1+1\n@SUM(1)',
]


def as_name(text):
    """As a folder may be called."""
    return text.replace("/", "\u2215")[:60] or "x"


def hostile_run(folder, text, metric):
    """`metric`: the text as the name of numbers too; each makes a chart and a column."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\u007f", "")
    config = made.CONFIG.format(variant="post_ln", seed=1, lr=1e-3, updates=100).replace(
        'corpus = "numbers"', f"corpus = {quoted}\n# {text!r}"
    )
    records = [made.started(command=text)]
    for update in (50, 100):
        records.append(made.train(update, 3.0, **({text: 1.0} if metric else {})))
        records.append(made.valid(update, 3.0, **({text: 2.0} if metric else {})))
        records.append(made.record(type="gradients", update=update, norms={text: 1.0, f"encoder.layers.0.{text}": 2.0}))
        records.append(
            made.record(type="samples", update=update, source=[text], reference=[text + " a"], output=["b " + text])
        )
    records += [
        made.record(type="event", event="nonfinite", update=99, tap=text, parameter=text),
        made.record(type="event", event="diverged", update=100, reason=text),
        made.ended(100, "diverged"),
    ]
    return made.write_run(folder, records=records, config=config)


@needs_a_browser
class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_hostile_test_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_there_are_more_than_sixty(self):
        self.assertEqual(len(set(HOSTILE)), 61)

    def test_nothing_runs_and_everything_is_shown(self):
        for number, text in enumerate(HOSTILE):
            hostile_run(
                self.folder / "runs" / f"{number:02} {as_name(text)}",
                text,
                metric=number % 6 == 0 or text.isidentifier(),
            )
        for number, text in enumerate(HOSTILE[:4]):
            made.write_probe(self.folder / "probes" / as_name(text), variants=(text, HOSTILE[-1 - number]), says=text)
        sweep = {
            "version": 1,
            "name": HOSTILE[0],
            "metric": HOSTILE[3],
            "baseline": HOSTILE[5],
            "seeds": [1],
            "heatmap": [],
            "complete": True,
            "grid": [
                {"key": HOSTILE[1], "values": [HOSTILE[2], "b"]},
                {"key": HOSTILE[4], "values": ["1", HOSTILE[6]]},
            ],
            "arms": [
                {
                    "name": text,
                    "listed": text,
                    "point": {HOSTILE[1]: HOSTILE[2], HOSTILE[4]: "1"},
                    "finished": 1,
                    "failed": 0,
                    "unfinished": 0,
                    "mean": 1.0,
                    "deviation": None,
                }
                for text in HOSTILE
            ],
            "comparisons": [],
        }
        (self.folder / "sweep").mkdir()
        (self.folder / "sweep" / "sweep.json").write_text(json.dumps(sweep))
        page = self.folder / "report.html"
        done = subprocess.run(
            [PLUMB, "report", *(self.folder / name for name in ("runs", "probes", "sweep")), "-o", page],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

        browser = Browser(self.folder)
        self.addCleanup(browser.close)
        browser.open(page.as_uri())
        browser.wait("window.plumbReport", "the page")
        browser.js("dispatchEvent(new Event('beforeprint'))")  # draws every chart
        self.poke(browser)
        self.assertIsNone(browser.js("return window.hit === undefined ? null : window.hit"))
        self.assertEqual(browser.console(), [])
        self.assertEqual(browser.requests(), [page.as_uri()])
        self.assertEqual(browser.js("return document.scripts.length"), 3)
        self.assertEqual(
            browser.js(
                """return [...document.querySelectorAll('main *')].filter((node) =>
                     /^(script|img|iframe|object|embed|base|meta|link|style|form|template|marquee)$/i.test(node.localName)
                   ).length"""
            ),
            0,
        )
        self.assertEqual(
            browser.js(
                r"""const only_words = (name) => /^(title|aria-label|value|data-.*)$/.test(name);
                    return [...document.querySelectorAll('*')].flatMap((node) => [...node.attributes]).filter((a) =>
                      a.name.startsWith('on') || (/^\s*javascript:/i.test(a.value) && !only_words(a.name))).length"""
            ),
            0,
        )
        # As text every one of them is there: as a command, as an output, as a reason.
        commands = browser.js(
            "return [...document.querySelectorAll('.config pre:first-of-type')].map((node) => node.textContent)"
        )
        self.assertEqual(sorted(commands), sorted(HOSTILE))
        self.check_saved(browser)

    def poke(self, browser):
        """Does to the page what a reader can do."""
        browser.js("""
          document.querySelectorAll('details').forEach((one) => (one.open = true));
          const all = (selector) => [...document.querySelectorAll(selector)];
          all('.tool[aria-pressed]').filter((one, i) => i % 7 === 0).forEach((one) => one.click());
          for (const one of all('select')) {
            one.selectedIndex = one.options.length - 1;
            one.dispatchEvent(new Event('change'));
          }
          for (const one of all('input[type=range]')) {
            one.value = one.max;
            one.dispatchEvent(new Event('input'));
          }
          [...document.querySelectorAll('thead button')].slice(0, 6).forEach((one) => one.click());
          for (const one of all('.plot')) {
            for (const key of ['ArrowRight', 'ArrowUp']) one.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
          }
          document.querySelectorAll('.chip').forEach((one) => one.click());
          document.getElementById('theme').click();
        """)
        browser.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 200))")
        browser.js("document.querySelectorAll('.chip').forEach((one) => one.click())")

    def check_saved(self, browser):
        """What a page saves is safe as well: SVG without scripts, cells that no spreadsheet takes for formulas."""
        for saved in browser.js(
            "return [...plumbReport.charts.values()].map((card) => new XMLSerializer().serializeToString(card.svg()))"
        ):
            for node in ElementTree.fromstring(saved).iter():
                self.assertNotIn(
                    node.tag.split("}")[-1].lower(), ("script", "foreignobject", "image", "a", "animate", "use")
                )
                self.assertFalse(
                    [name for name in node.attrib if name.lower().startswith("on") or "href" in name.lower()]
                )
        for text in browser.js("return [...plumbReport.charts.values()].map((card) => card.csv())"):
            for row in csv.reader(io.StringIO(text, newline="")):
                if row[0].startswith("#"):
                    self.assertEqual(len(row), 1, "a note is one cell")
                    self.assertNotRegex(row[0], "[;\t\r\n]")
                for cell in row:
                    self.assertNotRegex(cell, r"\A\s*[=+@]")


if __name__ == "__main__":
    unittest.main()
