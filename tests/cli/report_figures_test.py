"""Charts one by one: what they show and save of odd numbers, and how a finger reads them. Each test makes its page."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import made_up_runs as made
from browser import Browser, needs_a_browser

PLUMB = str(Path(os.environ["PLUMB_BIN_DIR"]) / "plumb")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.downloads = Path(tempfile.mkdtemp(prefix="plumb_figures_test_"))
        cls.addClassCleanup(shutil.rmtree, cls.downloads, ignore_errors=True)
        cls.browser = Browser(cls.downloads)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_figures_test_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is quiet")

    def open(self):
        """The page of all that a test has made, with every chart drawn."""
        page = self.folder / "report.html"
        subprocess.run([PLUMB, "report", self.folder, "-o", page], check=True, capture_output=True, timeout=120)
        self.browser.open(page.as_uri())
        self.browser.wait("window.plumbReport", "the page")
        self.browser.js("dispatchEvent(new Event('beforeprint'))")

    def write_probe(self, *curves):
        lines = [made.record(type="subject", of="deep.toml", variant="pre_ln", sample="s", config=""), *curves]
        (self.folder / "odd").mkdir()
        (self.folder / "odd" / "probe.jsonl").write_text("".join(line + "\n" for line in lines))

    def chart(self, chart, expression):
        return self.browser.js(
            f"const card = plumbReport.charts.get('{chart}'), chart = card.chart; return {expression}"
        )

    def choose(self, chart, label, value):
        self.browser.js(
            """const [chart, label, value] = arguments;
               const menu = document.querySelector(`[data-chart="${chart}"] select[aria-label="${label}"]`);
               menu.value = value;
               menu.dispatchEvent(new Event('change'));""",
            chart,
            label,
            value,
        )

    def tip(self):
        return self.browser.js("const tip = document.getElementById('tip'); return tip.hidden ? null : tip.innerText")


@needs_a_browser
class Figures(Pages):
    def texts(self, chart):
        """The words inside the frame of a saved picture: {text: (left, right, y)}; the frame goes from 72 to 836."""
        return self.chart(
            chart,
            """(() => {
                 const picture = document.body.appendChild(card.svg());
                 const found = [...picture.querySelectorAll('svg text')].map((one) => {
                   const {x, width} = one.getBBox();
                   return [one.textContent, [x, x + width, Number(one.getAttribute('y'))]];
                 });
                 picture.remove();
                 return Object.fromEntries(found);
               })()""",
        )

    def test_norms_that_are_not_finite_are_marked(self):
        norms = {f"encoder.layers.{layer}.ffn": 1.0 for layer in range(6)}
        norms |= {"encoder.layers.2.ffn": "NaN", "encoder.layers.4.ffn": None}
        made.write_run(self.folder / "run", records=[made.record(type="gradients", update=7, norms=norms)])
        self.open()
        [line] = self.chart("gradients.encoder", "chart.figure().series")
        self.assertEqual(line["x"], [1, 2, 4, 6])
        self.assertEqual([(gap["from"], gap["count"]) for gap in line["gaps"]], [(3, 1)])
        self.assertIn("NaN at 3", self.chart("gradients.encoder", "card.card.textContent"))
        self.assertIn("\nrun,3,NaN\r", self.chart("gradients.encoder", "card.csv()"))

    def test_the_first_layer_is_1_in_every_chart(self):
        made.write_run(self.folder / "run")
        self.open()
        self.assertEqual(self.chart("gradients.heat", "chart.figureOf().y.values[0]"), "encoder 1 self attn")
        self.assertEqual(self.chart("gradients.encoder", "chart.figure().series[0].x[0]"), 1)

    def labels(self, chart, axis):
        """The labels of an axis on the screen."""
        return self.chart(chart, f"chart.plot.axes[{axis}]._values")

    def test_numbers_of_any_size_have_an_axis(self):
        for name, high in (("e20", 1e20), ("e34", 1e34), ("e300", 1e300)):
            records = [made.started(), *(made.train(u, 2 + high * (u == 50), gnorm=high**(u / 100), lr=3e-4 + u * 1e-9)
                                         for u in range(10, 101, 10))]
            made.write_run(self.folder / name, records=records)
            self.open()
            self.browser.wait("plumbReport.charts.get('curve.train.gnorm').chart.plot", "the chart")
            for chart in ("curve.train.loss", "curve.train.gnorm", "curve.train.lr"):
                labels = self.labels(chart, 1)
                self.assertGreaterEqual(len(labels), 3, (name, chart))
                self.assertEqual(len(set(labels)), len(labels), labels)
            shutil.rmtree(self.folder / name)

    def test_a_perplexity_that_overflows_is_marked(self):
        losses = [2, 3, 800, 900, 4]
        made.write_run(self.folder / "run", records=[made.train(10 * (i + 1), x) for i, x in enumerate(losses)])
        self.open()
        [line] = self.chart("curve.train.nll", "chart.figure().series")
        self.assertEqual([(gap["from"], gap["to"]) for gap in line["gaps"]], [(30, 40)])
        self.assertIn("∞ from 30 to 40", self.chart("curve.train.nll", "card.card.textContent"))
        rows = self.chart("curve.train.nll", "card.csv()").splitlines()
        self.assertEqual([row for row in rows if "Infinity" in row], ["run,30,Infinity", "run,40,Infinity"])

    def test_a_logarithmic_axis_says_for_what_it_has_no_place(self):
        made.write_run(self.folder / "run", records=[made.train(10 * i, 2 - i) for i in range(1, 6)])
        self.open()
        self.assertNotIn("not above 0", self.chart("curve.train.loss", "card.card.textContent"))
        self.browser.js("plumbReport.view.log['curve.train.loss'] = {x: false, y: true}")
        self.chart("curve.train.loss", "(chart.refresh(), chart.drawn())")
        self.assertIn("4 values not above 0", self.chart("curve.train.loss", "card.card.textContent"))

    def test_a_zoom_stays_where_it_is_when_the_run_in_it_is_hidden(self):
        made.write_run(self.folder / "early", updates=100)
        made.write_run(self.folder / "late", records=[made.train(u, 2) for u in range(1000, 2000, 10)])
        self.open()
        self.browser.js("plumbReport.view.log['curve.train.loss'] = {x: true, y: false}")
        self.browser.js("plumbReport.view.hidden.add('early')")
        self.chart("curve.train.loss", "chart.setZoom([5, 90])")
        self.chart("curve.train.loss", "chart.refresh()")
        self.assertEqual(self.chart("curve.train.loss", "chart.range.x"), [5, 90])
        self.chart("curve.train.loss", "chart.setZoom([-5, 90])")
        self.chart("curve.train.loss", "chart.refresh()")
        low, high = self.chart("curve.train.loss", "chart.range.x")
        self.assertTrue(0 < low < high == 90, (low, high))

    def test_counts_have_whole_ticks_and_numbers_the_size_they_have(self):
        short = [made.record(type="event", event="started", update=0, parameters=999999), *(made.train(u, 2) for u in (9, 10))]
        made.write_run(self.folder / "short", records=short, lr=9.999e-4)
        made.write_run(self.folder / "wild", records=short, lr=1e30)
        self.open()
        self.browser.wait("plumbReport.charts.get('curve.train.loss').chart.plot", "the chart")
        self.assertEqual(self.labels("curve.train.loss", 0), ["9", "10"])
        rows = self.browser.js("return document.getElementById('runs').innerText")
        self.assertIn("1 M", rows)
        self.assertIn("1e30", rows)
        self.assertIn("0.001", rows.replace("1e-3", "0.001"))
        self.assertNotIn("e+", rows)

    def test_long_names_keep_their_ends_in_saved_pictures(self):
        for end in ("first", "second"):
            made.write_run(self.folder / ("a_name_" * 20 + end))
        self.open()
        names = self.chart("curve.train.loss", "[...card.svg().querySelectorAll('text')].map((one) => one.textContent)")
        for end in ("first", "second"):
            [name] = [one for one in names if one.endswith(end)]
            self.assertLess(len(name), 120)

    def test_a_record_that_cannot_be_drawn_costs_only_itself(self):
        made.write_probe(self.folder / "good", variants=("pre_ln",))
        bad = [
            made.record(type="subject", of="x", variant="post_ln", sample="s", config=""),
            made.curve("constructor", "n", "post_ln", [1.0, 2.0], [1, 2], "layer"),
            made.record(type="verdict", verdict={"sentences": [None]}),
        ]
        (self.folder / "bad").mkdir()
        (self.folder / "bad" / "probe.jsonl").write_text("".join(line + "\n" for line in bad))
        good = {"schema": 1, "name": "fine", "metric": "loss", "grid": [], "arms": [], "seeds": [1], "runs": []}
        for name, content in (("sweep1", good), ("sweep2", {**good, "grid": [{}]})):
            (self.folder / name).mkdir()
            (self.folder / name / "sweep.json").write_text(json.dumps(content))
        self.open()
        text = self.browser.js("return document.getElementById('main').innerText")
        for part in ("sweep2 cannot be drawn", "The verdict on post_ln cannot be drawn", "will train", "Constructor"):
            self.assertIn(part, text)
        self.assertTrue(self.browser.js("return [...document.querySelectorAll('#sweeps h3')].some((one) => one.textContent.includes('fine'))"))

    def test_a_wiring_that_is_probed_twice_has_two_names(self):
        made.write_probe(self.folder / "twice", variants=("pre_ln", "pre_ln"))
        self.open()
        ids = self.browser.js("return [...document.querySelectorAll('[data-chart]')].map((one) => one.dataset.chart)")
        self.assertEqual(len(ids), len(set(ids)), ids)

    def test_a_zoom_within_a_stretch_that_is_not_finite_saves_it(self):
        made.write_diverged_run(self.folder / "run")
        self.open()
        for smoothing, row in ((0, "run,803,NaN"), (0.5, "run,803,,NaN")):
            self.browser.js("plumbReport.view.smoothing = arguments[0]", smoothing)
            self.chart("curve.train.loss", "chart.setZoom([805, 810])")
            text = self.chart("curve.train.loss", "card.csv()")
            self.assertIn(row, text)
            self.assertIn("# reduced: run has 10 values that are not finite from 803 to 812", text)
        self.chart("curve.train.loss", "chart.setZoom([100, 200])")
        self.assertNotIn("NaN", self.chart("curve.train.loss", "card.csv()"))

    def test_words_of_a_saved_picture_stand_below_each_other_and_inside(self):
        made.write_run(self.folder / "long", updates=1000)
        for at in (30, 31, 900):
            made.write_diverged_run(self.folder / f"to_{at}", at=at)
        made.write_probe(self.folder / "probe", variants=("pre_ln",))
        self.open()
        marks = {text: place for text, place in self.texts("curve.train.loss").items() if "diverged" in text}
        self.assertEqual(sorted(y for _, _, y in marks.values()), [60, 74, 88])
        ends = {text: place for text, place in self.texts("probe.curvature.density").items() if "λ" in text}
        self.assertEqual((len(marks), len(ends)), (3, 2))
        for left, right, _ in [*marks.values(), *ends.values()]:
            self.assertGreater(left, 72)
            self.assertLess(right, 836)

    def test_a_single_point_is_saved_as_a_dot(self):
        made.write_run(self.folder / "run", records=[made.started(), made.train(10, 2.0)])
        self.open()
        self.assertEqual(self.chart("curve.train.loss", "card.svg().querySelectorAll('circle').length"), 1)

    def test_what_is_saved_says_what_was_chosen(self):
        for name in ("one", "two"):
            made.write_run(self.folder / name, updates=200)
        matrices = ("q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2", "in", "gate", "head")
        self.write_probe(
            *(made.curve("spread", "size", "pre_ln", [1.0, 2.0], [1, 2], "layer", matrix=name) for name in matrices)
        )
        self.open()
        self.choose("gradients.heat", "run", "two")
        self.choose("gradients.heat", "part", "encoder_attn")
        self.browser.click('[data-chart="gradients.heat"] .save button:nth-child(3)')
        heat = self.browser.downloaded("gradient_norm_per_sub_layer_two_encoder_attn.csv").read_text()
        self.assertTrue(heat.startswith("# Gradient norm per sub-layer two encoder attn\n"), heat[:200])
        title = lambda chart: self.chart(chart, "card.svg().querySelector('text').textContent")
        self.assertEqual(title("gradients.decoder"), "Gradient profile, decoder, ffn, update 200")
        self.assertEqual(title("probe.spread.size."), "Spread: size, matrix fc2")
        self.choose("probe.spread.size.", "matrix", "all")
        self.assertEqual(title("probe.spread.size."), "Spread: size")
        self.assertEqual(title("curve.train.loss"), "Training loss")

    def test_a_logarithmic_axis_leaves_out_what_it_has_no_place_for(self):
        made.write_probe(self.folder / "probe", variants=("pre_ln",))
        negative = dict(low=[-3, -2, 1], high=[-1, 2, 3])
        curve = json.loads(made.curve("spread", "size", "pre_ln", [-2, 1, 2], [0, 1, 2], "layer")) | negative
        self.write_probe(json.dumps(curve))
        made.write_run(
            self.folder / "run",
            records=[made.train(1, 2.0), made.record(type="event", event="diverged", update=0, reason="r")],
        )
        self.open()
        for chart in ("probe.curvature.density", "probe.spread.size.", "curve.train.loss"):
            self.browser.js("plumbReport.view.log[arguments[0]] = {x: true, y: true}", chart)
            self.chart(chart, "chart.refresh()")
            picture = self.chart(chart, "document.body.appendChild(card.svg()).outerHTML")
            self.assertNotRegex(picture, "NaN|Infinity")
            self.assertRegex(picture, r"<path d=\"M\d")

    def test_an_interval_that_begins_at_zero_is_told(self):
        curve = json.loads(made.curve("spread", "size", "pre_ln", [1, 1, 1], [1, 2, 3], "layer"))
        self.write_probe(json.dumps(curve | dict(low=[0, 0, 0], high=[2, 2, 2])))
        self.open()
        self.chart("probe.spread.size.", "chart.cursorTo(100)")
        self.assertIn("[0, 2]", self.tip())

    def test_lines_that_are_not_shown_are_counted(self):
        lines = [f"line {number}" for number in range(30)]
        made.write_run(self.folder / "run", records=[made.samples(1, lines, lines, lines)])
        self.open()
        text = self.browser.js("return document.querySelector('.samples').innerText")
        self.assertTrue(text.endswith("and 6 lines more"), text[-40:])

    def test_a_wiring_that_was_probed_twice_keeps_a_dash_of_its_own(self):
        for folder in ("first", "second"):
            made.write_probe(self.folder / folder, variants=[f"v{number}" for number in range(9)])
        self.open()
        lines = self.chart(
            "probe.gradient_norm.layer.encoder",
            "Object.fromEntries(chart.figure().series.map((one) => [one.name, [one.css(), one.dash]]))",
        )
        self.assertEqual(len(lines), 18)
        for number in range(9):
            self.assertEqual(lines[f"v{number} (first)"], lines[f"v{number} (second)"])
        self.assertEqual(len({str(line) for line in lines.values()}), 9)

    def test_the_button_beside_a_filter_says_what_it_does(self):
        for number in range(13):
            made.write_run(self.folder / f"run{number}", updates=20)
        self.open()
        says = lambda: self.browser.js("return document.querySelector('.legend-tools button').textContent")
        type_in = lambda text: self.browser.js(
            "const box = document.querySelector('.legend input'); box.value = arguments[0]; box.dispatchEvent(new Event('input'))",
            text,
        )
        self.assertEqual(says(), "all")
        type_in("run1")
        self.assertEqual(says(), "only these")
        type_in("")
        self.assertEqual(says(), "all")


@needs_a_browser
class Fingers(Pages):
    def setUp(self):
        super().setUp()
        self.touch(True)
        self.addCleanup(self.touch, False)
        self.browser.size(390, 800)

    def touch(self, enabled):
        self.browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": enabled})

    def middle_of(self, selector):
        """Where a finger would touch it, once it stands in the middle of the screen."""
        return self.browser.js(
            """const one = document.querySelector(arguments[0]);
               one.scrollIntoView({block: 'center', behavior: 'instant'});
               const box = one.getBoundingClientRect();
               return {x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2)};""",
            selector,
        )

    def finger(self, kind, *places):
        self.browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def tap(self, selector, right=0):
        place = self.middle_of(selector)
        place["x"] += right
        self.finger("touchStart", place)
        self.finger("touchEnd")

    def scroll(self, selector):
        place, before = self.middle_of(selector), self.browser.js("return scrollY")
        self.finger("touchStart", place)
        for up in range(20, 201, 20):
            self.finger("touchMove", {**place, "y": place["y"] - up})
        self.browser.wait(f"scrollY > {before} + 100", "the page to move")
        time.sleep(0.2)  # a finger that rests throws nothing
        self.finger("touchEnd")

    def test_a_box_with_values_goes_when_a_finger_scrolls(self):
        made.write_run(self.folder / "run")
        self.open()
        for chart in ("curve.train.loss", "gradients.heat"):
            for begin in (f'[data-chart="{chart}"] .plot', f'[data-chart="{chart}"] h3'):
                self.tap(f'[data-chart="{chart}"] .plot')
                self.browser.wait("!document.getElementById('tip').hidden", f"the values of {chart}")
                self.scroll(begin)
                self.assertIsNone(self.tip(), begin)

    def test_a_finger_zooms_around_what_it_has_read(self):
        made.write_run(self.folder / "run")
        self.open()
        closer = '[data-chart="curve.train.loss"] .closer'
        self.tap('[data-chart="curve.train.loss"] .u-over', right=80)
        place = self.chart("curve.train.loss", "chart.readAt")
        self.assertGreater(place, 600)
        for _ in range(6):
            self.tap(closer)
        low, high = self.browser.js("return plumbReport.view.zoom.updates")
        self.assertLess(high - low, 100)
        self.assertTrue(low < place < high, (low, place, high))
        self.tap('[data-chart="curve.train.loss"] .reset')
        self.assertIsNone(self.browser.js("return plumbReport.view.zoom.updates || null"))
        self.touch(False)
        self.assertFalse(self.browser.all(closer)[0].is_displayed(), "a mouse drags")

    def test_long_names_leave_room_for_the_table(self):
        made.write_run(self.folder / ("deep_and_wide_with_warm_up_and_a_very_long_name_" * 2 + "1"), updates=20)
        made.write_run(self.folder / "short", updates=20)
        self.open()
        wide = self.browser.js("return document.querySelector('table.runs tbody th').offsetWidth")
        self.assertLess(wide, 0.55 * 390)

    def test_the_legend_stands_below_the_header(self):
        made.write_run(self.folder / "run")
        made.write_probe(self.folder / "probe")
        self.open()
        for width in (641, 768, 900, 1280):
            self.browser.size(width, 900)
            header, legend = self.browser.js(
                """document.querySelector('[data-chart="curve.train.gnorm"]').scrollIntoView({behavior: 'instant'});
                   const box = (selector) => document.querySelector(selector).getBoundingClientRect();
                   return [box('#top').bottom, box('.legend').top];"""
            )
            self.assertLessEqual(header, legend, width)


if __name__ == "__main__":
    unittest.main()
