"""`plumb report` from outside: the page in a browser, what it saves, and bad input."""

import base64
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import made_up_runs as made
from browser import Browser, needs_a_browser

PLUMB = str(Path(os.environ["PLUMB_BIN_DIR"]) / "plumb")


def plumb(*arguments, **options):
    return subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_report_test_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "report.html"

    def assert_refused(self, *arguments, code=2):
        done = plumb("report", *arguments, "-o", self.out)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aplumb: [^\n]+\n\Z")
        self.assertFalse(self.out.exists(), "nothing half-written")

    def test_what_is_not_there_is_said_in_one_line(self):
        (self.folder / "empty").mkdir()
        (self.folder / "file").write_text("")
        for name in ("nowhere", "empty", "file"):
            self.assert_refused(self.folder / name)
        self.assert_refused()

    def test_a_good_folder_does_not_excuse_a_bad_one(self):
        self.assert_refused(made.write_run(self.folder / "run", updates=20), self.folder / "nowhere")

    def test_a_place_that_cannot_be_written_is_a_disk_error(self):
        run = made.write_run(self.folder / "run", updates=20)
        done = plumb("report", run, "-o", self.folder / "no" / "such" / "report.html")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\Aplumb: [^\n]+\n\Z")

    def test_the_policy_has_the_hashes_of_scripts_and_style(self):
        plumb("report", made.write_run(self.folder / "run", updates=20), "-o", self.out)
        page = self.out.read_text()
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
        scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        self.assertEqual((len(scripts), len(styles)), (2, 1))
        hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts + styles]
        self.assertEqual(re.findall(r"'sha256-([^']*)'", policy), hashes)
        self.assertIn("default-src 'none'", policy)

    def test_damaged_and_half_written_files_are_shown_as_far_as_they_go(self):
        run = made.write_run(self.folder / "run", updates=100)
        with open(run / "log.jsonl", "ab") as log:
            log.write(b"{nonsense\n\xff\xfe\n" + made.train(110, 2.0).encode() + b'\n{"type":"train","upda')
        data = plumb("report", run, "--json").stdout
        self.assertIn("2 lines of log.jsonl cannot be read", data)


@needs_a_browser
class Page(unittest.TestCase):
    """One browser and one page for all: five ways a run can be, and a probe."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="plumb_page_test_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        runs = cls.folder / "runs"
        made.write_run(runs / "long", "pre_ln", updates=3000, every=1)
        made.write_run(runs / "short", "b2t", updates=1000)
        made.write_diverged_run(runs / "diverged")
        made.write_run(runs / "just_started", records=[made.started()])
        made.write_run(runs / "nothing", records=[])
        made.write_probe(cls.folder / "probe")
        cls.page = cls.folder / "report.html"
        done = plumb("report", runs, cls.folder / "probe", "-o", cls.page)
        assert done.returncode == 0, done.stderr
        (cls.folder / "saved").mkdir()
        cls.browser = Browser(cls.folder / "saved")
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.browser.size(1280, 900)
        self.browser.open(self.page.as_uri())
        self.browser.js("try { localStorage.clear() } catch (e) {}")
        self.browser.wait(
            "window.plumbReport && document.querySelector('[data-chart=\"curve.train.loss\"] canvas')",
            "the first chart",
        )

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is quiet")

    def chart(self, expression, chart="curve.train.loss"):
        return self.browser.js(f"const chart = plumbReport.charts.get('{chart}').chart; return {expression}")

    def picture(self, chart="curve.train.loss"):
        """What is on the canvas of a chart, after what was asked for has been drawn."""
        self.browser.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 30)))"
        )
        return self.browser.js(f"return document.querySelector('[data-chart=\"{chart}\"] canvas').toDataURL()")

    def test_it_has_every_part_and_asks_for_nothing(self):
        self.browser.js("dispatchEvent(new Event('beforeprint'))")  # draws every chart
        self.assertEqual(self.browser.requests(), [self.page.as_uri()])
        parts = [part.get_attribute("id") for part in self.browser.all("main > section")]
        self.assertEqual(parts, ["runs", "curves", "layers", "verdict", "probes", "samples", "configs"])
        charts = self.browser.js("return [...plumbReport.charts.keys()]")
        for wanted in (
            "curve.valid.loss",
            "curve.valid.ppl",
            "curve.valid.bleu",
            "curve.train.lr",
            "curve.train.gnorm",
            "gradients.heat",
            "gradients.decoder",
            "probe.dependency.beta.pre_ln.decoder",
            "probe.similarity.cosine.post_ln.encoder",
            "probe.amplification.random.encoder",
            "probe.curvature.density",
            "probe.depth_scaling.last_ffn.",
            "probe.relative_gradient.relative.encoder",
        ):
            self.assertIn(wanted, charts)
        text = self.browser.js("return document.body.innerText")
        for words in (
            "diverged at update 812: 10 updates in a row were not finite (first at decoder.3.ffn.sum)",
            "The gradient reaches every layer.",
            "vierhundertzwei",
            "--set model.variant=pre_ln",
        ):
            self.assertIn(words, self.browser.js("return document.body.textContent"))
        self.assertIn("5 runs: 2 finished, 1 diverged", text)

    def test_what_is_not_finite_is_marked(self):
        gaps = self.chart("chart.figure().series.find((one) => one.name === 'diverged').gaps")
        self.assertEqual(
            [(gap["from"], gap["count"]) for gap in gaps],
            [(803, 10)],
            "ten updates that were lost; the record of their interval says nothing more",
        )
        notes = self.browser.js("return document.querySelector('[data-chart=\"curve.train.loss\"] .notes').textContent")
        self.assertIn("diverged at 812", notes)
        self.assertIn("NaN from 803 to 812 (10 values)", notes)

    def test_a_click_hides_a_run_everywhere(self):
        before = self.picture()
        self.browser.click('.legend [data-run="short"]')
        self.assertNotEqual(self.picture(), before)
        for chart in ("curve.train.loss", "curve.valid.bleu", "gradients.decoder"):
            self.assertNotIn("short", self.chart("chart.figure().series.map((one) => one.name)", chart))
        self.browser.click('.legend [data-run="short"]')
        self.assertEqual(self.picture(), before)

    def test_drag_zooms_all_curves_and_double_click_shows_all(self):
        from selenium.webdriver import ActionChains

        self.browser.js(
            "document.querySelector('[data-chart=\"curve.train.loss\"]').scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        before = self.picture()
        over = self.browser.all('[data-chart="curve.train.loss"] .u-over')[0]
        ActionChains(self.browser.driver).move_to_element_with_offset(over, -80, 0).click_and_hold().move_by_offset(
            60, 5
        ).move_by_offset(60, 0).release().perform()
        low, high = self.browser.js("return plumbReport.view.zoom.updates")
        full = self.chart("(plumbReport.view.zoom = {}, chart.refresh(), chart.range.x)")
        self.browser.js(
            "plumbReport.view.zoom.updates = arguments[0]; plumbReport.charts.forEach((card) => card.update())",
            [low, high],
        )
        self.assertLess(full[0], low)
        self.assertGreater(full[1], high)
        zoomed = self.picture()
        self.assertNotEqual(zoomed, before)
        self.browser.wait(
            "Math.abs(plumbReport.charts.get('curve.valid.loss').chart.range.x[0] - plumbReport.view.zoom.updates[0]) < 1",
            "the other curves to follow",
        )
        ActionChains(self.browser.driver).move_to_element(over).double_click().perform()
        self.assertIsNone(self.browser.js("return plumbReport.view.zoom.updates || null"))
        ActionChains(self.browser.driver).move_to_element(self.browser.all("h1")[0]).perform()
        self.assertEqual(self.picture(), before)

    def test_axes_smoothing_and_hover(self):
        self.browser.click('[data-chart="curve.train.loss"] .tool[aria-label="logarithmic y axis"]')
        self.assertTrue(self.chart("chart.figure().y.log"))
        raw = self.chart("chart.figure().series.find((one) => one.name === 'short').y")
        self.browser.js(
            "const s = document.getElementById('smoothing'); s.value = 0.9; s.dispatchEvent(new Event('input'))"
        )
        smooth = self.chart("chart.figure().series.find((one) => one.name === 'short').y")
        mean, weight = 0.0, 0.0  # an exponential mean, without the pull to zero at the start
        for value, found in zip(raw, smooth):
            mean, weight = 0.9 * mean + 0.1 * value, 0.9 * weight + 0.1
            self.assertAlmostEqual(found, mean / weight, places=9)
        self.browser.js("document.querySelector('[data-chart=\"curve.valid.loss\"] .plot').focus()")
        self.browser.js(
            "document.querySelector('[data-chart=\"curve.valid.loss\"]').scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        self.browser.wait("plumbReport.charts.get('curve.valid.loss').chart.plot", "the chart")
        self.browser.js(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
        )
        tip = self.browser.js("const tip = document.getElementById('tip'); return tip.hidden ? null : tip.innerText")
        self.assertRegex(tip, r"(?s)update [\d,]+.*long.*short|update [\d,]+.*short.*long")
        self.browser.js("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '+', bubbles: true}))")
        self.assertIsNotNone(self.browser.js("return plumbReport.view.zoom.updates || null"))

    def test_the_table_sorts(self):
        names = lambda: self.browser.js(
            "return [...document.querySelectorAll('table.runs tbody th')].map((cell) => cell.innerText.trim())"
        )
        self.browser.click("table.runs thead th:nth-child(1) button")
        self.assertEqual(names(), ["diverged", "just_started", "long", "nothing", "short"])
        self.browser.click("table.runs thead th:nth-child(1) button")
        self.assertEqual(names()[0], "short")
        index = self.browser.js(
            "return [...document.querySelectorAll('table.runs thead th')].findIndex((cell) => cell.innerText.startsWith('best loss')) + 1"
        )
        self.browser.click(f"table.runs thead th:nth-child({index}) button")
        self.assertEqual(names()[0], "long")  # the lower loss: it trained for longer; runs without one come last
        self.assertEqual(set(names()[2:]), {"diverged", "just_started", "nothing"})

    def test_dark_by_choice_and_by_preference(self):
        ground = lambda: self.browser.js("return getComputedStyle(document.body).backgroundColor")
        light, picture = ground(), self.picture()
        self.browser.click("#theme")
        dark = ground()
        self.assertNotEqual(dark, light)
        self.assertNotEqual(self.picture(), picture)
        self.browser.click("#theme")
        self.assertEqual((ground(), self.picture()), (light, picture))
        self.browser.js("localStorage.clear(); delete document.documentElement.dataset.theme")
        self.browser.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        )
        self.assertEqual(ground(), dark)

    def test_saves_svg_png_and_csv(self):
        card = '[data-chart="curve.train.loss"]'
        self.browser.click(card + " .save button:nth-child(1)")
        svg = ElementTree.parse(self.browser.downloaded("training_loss.svg")).getroot()
        self.assertTrue(svg.tag.endswith("svg"))
        texts = [node.text for node in svg.iter() if node.tag.endswith("text")]
        self.assertIn("Training loss", texts)
        self.assertIn("diverged at 812", texts)
        self.browser.click(card + " .save button:nth-child(2)")
        png = self.browser.downloaded("training_loss.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(png[16:20], "big"), 2 * 860)
        self.browser.click(card + " .save button:nth-child(3)")
        lines = self.browser.downloaded("training_loss.csv").read_text().splitlines()
        self.assertTrue(
            any(re.match(r"# reduced: long has \d+ of 3000 logged values", line) for line in lines), lines[:5]
        )
        rows = [line.split(",") for line in lines if not line.startswith("#")]
        self.assertEqual(rows[0], ["line", "update", "loss (nats per token)"])
        short = {int(row[1]): float(row[2]) for row in rows if row[0] == "short"}
        self.assertEqual(short, {update: float(f"{made.falling(update):.6g}") for update in range(10, 1001, 10)})
        self.assertIn(["diverged", "803", "NaN"], rows)
        long = [float(row[2]) for row in rows if row[0] == "long"]
        everything = [float(f"{made.falling(update):.6g}") for update in range(1, 3001)]
        self.assertLessEqual(len(long), 1000)
        self.assertEqual((min(long), max(long)), (min(everything), max(everything)))
        self.browser.click('[data-chart="probe.dependency.beta.pre_ln.decoder"] .save button:nth-child(3)')
        beta = self.browser.downloaded("dependency_pre_ln_decoder.csv").read_text()
        self.assertIn("\n6,6,1\n", beta)

    def test_what_is_saved_is_the_zoom(self):
        self.browser.js("plumbReport.charts.get('curve.train.loss').chart.setZoom([200, 300])")
        saved = self.browser.js(
            "const card = plumbReport.charts.get('curve.train.loss'); return [card.svg().textContent, card.csv()]"
        )
        self.assertIn("260", saved[0])
        self.assertNotIn("1,000", saved[0])
        rows = [row for row in csv.reader(saved[1].splitlines()) if not row[0].startswith("#")]
        self.assertEqual([row[1] for row in rows if row[0] == "short"], [str(update) for update in range(200, 301, 10)])
        self.assertIn("# zoom: only what lies from 200 to 300", saved[1])

    def test_a_csv_says_what_was_done_to_its_numbers(self):
        text = lambda chart: self.browser.js(f"return plumbReport.charts.get('{chart}').csv()")
        loss = text("curve.train.loss")
        self.assertIn("# reduced: diverged has 10 values that are not finite from 803 to 812", loss)
        for run in ("long", "diverged"):
            self.browser.click(f'.legend [data-run="{run}"]')
        self.assertIn("# not reduced: every logged value is here", text("curve.train.loss"))
        self.assertIn(",3000,", text("gradients.heat"), "a number, without the comma that it has on the screen")

    def open_page_of(self, name):
        """The page of one folder below that of the tests, with all of it drawn."""
        folder = self.folder / name
        plumb("report", folder, "-o", folder / "report.html")
        self.browser.open((folder / "report.html").as_uri())
        self.browser.wait("window.plumbReport && document.querySelector('main > section')", "the page")
        return lambda selector: self.browser.js(f"return document.querySelector('{selector}').textContent")

    def test_smoothing_knows_all_values_of_a_reduced_curve(self):
        loss = lambda update: 7.0 if update % 10 == 0 else 2.0 + 1 / update
        made.write_run(
            self.folder / "spikes" / "run",
            records=[made.started()] + [made.train(update, loss(update)) for update in range(1, 5001)],
        )
        self.open_page_of("spikes")
        self.browser.js("plumbReport.view.smoothing = 0.98")
        mean, weight, right = 0.0, 0.0, {}
        for update in range(1, 5001):
            mean, weight = 0.98 * mean + 0.02 * loss(update), 0.98 * weight + 0.02
            right[update] = mean / weight
        x, y, raw = self.chart("(([one]) => [one.x, one.y, one.raw.y])(chart.figure().series)")
        for update, found in zip(x, y):
            self.assertAlmostEqual(found, right[update], delta=0.1 if update > 50 else 1)
        self.assertGreater(x[-1], 4990)
        self.assertEqual((max(raw), min(raw)), (7.0, float(f"{loss(4999):.6g}")), "the extremes stay behind it")
        text = self.browser.js("return plumbReport.charts.get('curve.train.loss').csv()")
        self.assertIn("# smoothed: exponential mean in which the past keeps a weight of 0.98", text)
        rows = [row for row in csv.reader(text.splitlines()) if not row[0].startswith("#")]
        self.assertEqual(rows[0], ["line", "update", "loss (nats per token) (smoothed)", "loss (nats per token)"])
        self.assertEqual(len([row for row in rows[1:] if row[2]]), len(x))
        self.assertEqual(len([row for row in rows[1:] if row[3]]), len(raw))

    def test_a_sweep_says_what_the_terminal_says(self):
        arm = lambda name, **more: dict(
            name=name, listed="", overrides=[], point={}, finished=2, failed=0, unfinished=0, **more
        )
        arms = [
            arm("plain", outcomes={"finished": 2}, mean=2.0, deviation=0.25),
            arm("deep", outcomes={"finished": 2}, mean=1.5, deviation=0.125),
            {**arm("wild", outcomes={"diverged": 2}, mean=None, deviation=None), "finished": 0, "failed": 2},
        ]
        summary = lambda update: {"failure": {"update": update}, "seconds": 30, "tokens_per_second": 1234}
        runs = [
            dict(arm="wild", seed=seed, outcome="diverged", value=None, summary=summary(40 * seed)) for seed in (1, 2)
        ]
        runs.append(dict(arm="deep", seed=1, outcome="failed", value=None, summary={}, error="there is no disk"))
        pair = lambda name, **more: dict(arm=name, baseline="plain", coverage=0.5, above=0, **more)
        test = dict(metric="bleu", score=31.25, baseline=30.0, p_value=0.0123, sentences=500, seeds=2)
        comparisons = [
            pair("deep", seeds=2, difference=-0.5, interval=[-0.75, -0.25], below=2, test=test),
            pair("wild", seeds=0, difference=None, interval=None, below=0),
        ]
        sweep = dict(name="s", metric="loss", higher_is_better=False, baseline="plain", seeds=[1, 2], complete=True)
        sweep |= dict(grid=[], heatmap=[], arms=arms, runs=runs, comparisons=comparisons)
        (self.folder / "sweep").mkdir()
        (self.folder / "sweep" / "sweep.json").write_text(json.dumps(sweep))
        self.open_page_of("sweep")
        rows = self.browser.js(
            "return [...document.querySelectorAll('#sweeps tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText))"
        )
        self.assertEqual(rows[1], ["deep", "1.5", "0.125", "2 of 2", "–", "–", "2 finished"])
        self.assertEqual(
            rows[2],
            ["wild", "failed 2 of 2", "–", "0 of 2", "1,234", "1 min 00 s", "2 diverged at updates 40 to 80"],
        )
        self.assertEqual(rows[3], ["deep", "−0.5", "−0.75 to −0.25", "2", "2 of 2", "finished", "plain", "finished"])
        self.assertEqual(rows[4], ["wild", "–", "–", "0", "–", "failed 2 of 2", "plain", "finished"])
        self.assertEqual(rows[5], ["deep", "bleu", "31.25", "30", "+1.25", "0.0123", "500", "2"])
        text = self.browser.js("return document.getElementById('sweeps').innerText")
        self.assertIn("it holds the true difference in at most 50 % of cases", text)
        self.assertIn("deep, seed 1 could not be done: there is no disk", text)
        self.assertIn("paired bootstrap", text)

    def test_what_cannot_be_read_is_said_without_any_run(self):
        probe = made.write_probe(self.folder / "damaged" / "probe")
        with open(probe / "probe.jsonl", "a") as lines:
            lines.write("nonsense\n")
        (self.folder / "damaged" / "sweep").mkdir()
        (self.folder / "damaged" / "sweep" / "sweep.json").write_text("{")
        text = self.open_page_of("damaged")
        self.assertIn("probe.jsonl cannot be read", text("#runs"))
        self.assertIn("sweep.json cannot be read", text("#runs"))
        self.assertIn("Problems", text("nav"))

    def test_settings_that_are_not_known_are_dashes_and_the_last_events_are_shown(self):
        events = [made.record(type="event", event="nonfinite", update=i, loss="NaN") for i in range(300)]
        end = made.record(type="event", event="diverged", update=300, reason="ten in a row")
        records = [made.started(), *events, end, made.ended(300, "diverged")]
        run = made.write_run(self.folder / "bare" / "run", records=records)
        (run / "config.toml").unlink()
        text = self.open_page_of("bare")
        cells = self.browser.js(
            """const names = [...document.querySelectorAll('table.runs thead th')].map((cell) => cell.innerText.trim());
               const cells = [...document.querySelectorAll('table.runs tbody tr > *')].map((cell) => cell.innerText.trim());
               const place = (wanted) => names.findIndex((name) => name.startsWith(wanted));
               return ['variant', 'depth', 'width', 'lr', 'warm-up'].map((name) => cells[place(name)]);"""
        )
        self.assertEqual(cells, ["–"] * 5)
        self.assertIn("203 events left out", text(".events"))
        self.assertTrue(text(".events").endswith("ended: diverged"))

    def test_a_wiring_keeps_its_line_when_there_are_more_than_colours(self):
        lines = {}
        for kinds, seeds in ((2, (1, 2)), (4, (1, 2, 3)), (10, (1, 2, 3))):
            for index in range(kinds):
                for seed in seeds:
                    made.write_run(self.folder / f"{kinds}" / f"v{index}-{seed}", f"v{index}", updates=20, seed=seed)
            self.open_page_of(f"{kinds}")
            lines[kinds] = self.browser.js(
                """const line = (button) => button.querySelector('line');
                   return Object.fromEntries([...document.querySelectorAll('table.runs [data-run]')].map((button) =>
                     [button.dataset.run, [line(button).getAttribute('stroke'), line(button).getAttribute('stroke-dasharray')]]));"""
            )
            colours = [{lines[kinds][f"v{index}-{seed}"][0] for seed in seeds} for index in range(kinds)]
            self.assertEqual([len(of_one) for of_one in colours], [1] * kinds, "a wiring has one colour")
        self.assertEqual(len(set(map(tuple, lines[2].values()))), 4)
        self.assertEqual(len(set(map(tuple, lines[4].values()))), 12, "few wirings: dashes part the runs of one")
        self.assertEqual(len(set(map(tuple, lines[10].values()))), 10, "many: dashes part the wirings")

    def test_a_map_of_very_many_values_is_drawn(self):
        layers = 400
        lines = [made.record(type="subject", of="deep.toml", variant="pre_ln", sample="s", config="")]
        for layer in range(layers):
            lines.append(
                made.curve(
                    "similarity", "cosine", "pre_ln", [1.0] * layers, list(range(layers)), "layer", of=str(layer)
                )
            )
        (self.folder / "large").mkdir()
        (self.folder / "large" / "probe.jsonl").write_text("".join(line + "\n" for line in lines))
        text = self.open_page_of("large")
        self.assertIn("Similarity, pre_ln", text("#probes"))

    def test_a_broken_part_does_not_take_the_page_with_it(self):
        broken = self.folder / "broken"
        made.write_run(broken / "run", updates=100)
        (broken / "sweep.json").write_text('{"arms": [{}, null], "grid": [{}], "metric": 3}')
        plumb("report", broken, "-o", broken / "report.html")
        self.browser.open((broken / "report.html").as_uri())
        self.browser.wait("window.plumbReport && document.querySelector('#curves canvas')", "the curves")
        self.assertIn("cannot be drawn", self.browser.js("return document.getElementById('sweeps').innerText"))

    def test_it_fits_from_a_phone_to_a_wide_screen(self):
        for width in (340, 768, 1280, 2560):
            self.browser.size(width, 900)
            time.sleep(0.2)
            self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)

    def test_a_chart_takes_its_room_before_it_is_drawn(self):
        heights = lambda: self.browser.js(
            "return [...document.querySelectorAll('.plot:not(.heat)')].map((one) => Math.round(one.offsetHeight))"
        )
        for width in (340, 1280, 2560):
            self.browser.size(width, 600)
            self.browser.open(self.page.as_uri())
            self.browser.wait("window.plumbReport", "the page")
            before = heights()
            self.browser.js("dispatchEvent(new Event('beforeprint'))")  # draws every chart
            self.assertEqual(heights(), before)
            inner = self.browser.js(
                "return [...document.querySelectorAll('.plot:not(.heat)')].map((one) => one.firstChild.offsetHeight)"
            )
            for outside, inside in zip(before, inner):
                self.assertAlmostEqual(outside, inside, delta=1)


if __name__ == "__main__":
    unittest.main()
