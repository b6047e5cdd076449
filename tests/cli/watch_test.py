"""`plumb watch` from outside: to this machine only, two resources, newer data without a new page, and a file instead."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import made_up_runs as made
from browser import Browser, needs_a_browser

PLUMB = str(Path(os.environ["PLUMB_BIN_DIR"]) / "plumb")


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_watch_test_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.run_folder = made.write_run(
            self.folder / "run",
            records=[made.started()] + [made.train(update, made.falling(update)) for update in range(10, 500, 10)],
        )

    def start(self, *arguments):
        """Starts it and reads the line that says where it is."""
        self.process = subprocess.Popen(
            [PLUMB, "watch", self.run_folder, *map(str, arguments)], stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        return self.process.stderr.readline()

    def serve(self):
        line = self.start()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", line)[1])
        return self.port

    def ask(self, method="GET", path="/", host=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def append(self, *records):
        with open(self.run_folder / "log.jsonl", "a") as log:
            log.write("".join(record + "\n" for record in records))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(20), 0, "Ctrl-C is how it ends")


class Served(Watch):
    def test_only_this_machine_can_reach_it(self):
        self.serve()
        listening = [
            line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
        ]
        self.assertIn(f"0100007F:{self.port:04X}", listening)
        self.assertNotIn(f"00000000:{self.port:04X}", listening)
        self.end()

    def test_two_resources_for_one_host(self):
        self.serve()
        status, headers, body = self.ask()
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("connect-src 'self'", headers["Content-Security-Policy"])
        self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertTrue(body.startswith(b"<!doctype html>"))
        status, headers, body = self.ask(path="/data.json", host=f"localhost:{self.port}")
        self.assertEqual((status, json.loads(body)["runs"][0]["name"]), (200, "run"))
        self.assertEqual(self.ask(path="/data.json", headers={"If-None-Match": headers["ETag"]})[0], 304)
        self.assertEqual(self.ask("HEAD")[2], b"")
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1:{self.port + 1}"):
            self.assertEqual(self.ask(host=host)[0], 403, host)
        for path in ("/run/log.jsonl", "/../../etc/passwd", "/data.json?a"):
            self.assertEqual(self.ask(path=path)[0], 404, path)
        for method in ("POST", "PUT", "DELETE"):
            self.assertEqual(self.ask(method)[0], 405)
        self.end()

    def test_large_and_slow_requests_harm_nobody(self):
        port = self.serve()
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        for one in slow:
            self.addCleanup(one.close)
            one.sendall(b"GET / HT")
        with socket.create_connection(("127.0.0.1", port)) as large:
            large.settimeout(20)
            answer = b""
            try:
                large.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 9000)
                answer = large.recv(200)
            except ConnectionError:  # it was closed while we still sent
                pass
            self.assertIn(answer[:12], (b"HTTP/1.1 431", b""))
        self.assertEqual(self.ask()[0], 200)
        slow[0].settimeout(20)
        self.assertTrue(slow[0].recv(100).startswith(b"HTTP/1.1 408"), "and is told so in the end")
        self.end()

    def test_new_records_and_new_runs_are_seen(self):
        self.serve()
        updates = lambda: json.loads(self.ask(path="/data.json")[2])["runs"][0]["summary"]["update"]
        self.assertEqual(updates(), 490)
        self.append(made.train(500, 2.0), '{"type":"train","upda')
        self.assertEqual(updates(), 500)
        self.end()


class Refused(Watch):
    def test_bad_input_is_one_line(self):
        for arguments in (
            (self.folder / "nowhere",),
            (self.run_folder, "--port", "70000"),
            (self.run_folder, "--port", "1", "-o", "x"),
            (),
        ):
            done = subprocess.run([PLUMB, "watch", *map(str, arguments)], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"\Aplumb: [^\n]+\n\Z")

    def test_a_port_that_is_taken_is_said(self):
        self.serve()
        done = subprocess.run(
            [PLUMB, "watch", str(self.run_folder), "--port", str(self.port)], capture_output=True, text=True, timeout=20
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("--port", done.stderr)
        self.end()


class Rewritten(Watch):
    def test_the_file_follows_the_log(self):
        page = self.folder / "page.html"
        self.start("-o", page)

        def wait_for(text):
            for _ in range(200):
                if page.exists() and text in page.read_text():
                    return
                time.sleep(0.1)
            self.fail(f"{text} never came")

        wait_for('"update":490')
        self.append(made.train(777, 2.0))
        wait_for('"update":777')
        self.assertNotIn("connect-src", page.read_text())
        self.end()


@needs_a_browser
class Live(Watch):
    def test_the_page_follows_a_run_and_keeps_its_zoom(self):
        port = self.serve()
        browser = Browser(self.folder)
        self.addCleanup(browser.close)
        browser.open(f"http://127.0.0.1:{port}/")
        browser.wait("window.plumbReport && document.querySelector('#curves canvas')", "the first chart")
        browser.js(
            "window.same = document.querySelector('#curves canvas'); plumbReport.charts.get('curve.train.loss').chart.setZoom([100, 300])"
        )
        browser.js("plumbReport.view.hidden.add('nobody')")
        self.append(*[made.train(update, 2.0) for update in range(500, 900, 10)])
        browser.wait("plumbReport.data().runs[0].summary.update === 890", "newer data")
        self.assertEqual(browser.js("return plumbReport.view.zoom.updates"), [100, 300])
        browser.wait(
            "plumbReport.charts.get('curve.train.loss').chart.figure().series[0].x.length === 89", "the new points"
        )
        self.assertTrue(browser.js("return window.same.isConnected"), "the chart is the same")
        self.assertIn("890", browser.js("return document.querySelector('table.runs').innerText"))
        self.append(made.valid(900, 2.0))  # a number that had no chart yet
        browser.wait("plumbReport.charts.has('curve.valid.loss')", "a new chart")
        self.assertEqual(browser.js("return plumbReport.view.zoom.updates"), [100, 300])
        self.assertEqual(browser.console(), [])
        self.assertEqual(
            {address for address in browser.requests()}
            - {f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{port}/data.json"},
            set(),
        )
        self.end()
        browser.wait(
            "document.getElementById('live').textContent.includes('ended')", "the page to say that it has ended"
        )

    def open_page(self):
        port = self.serve()
        browser = Browser(self.folder)
        self.addCleanup(browser.close)
        browser.open(f"http://127.0.0.1:{port}/")
        browser.wait("window.plumbReport && document.querySelector('#curves canvas')", "the first chart")
        return browser

    def test_a_part_that_is_made_anew_leaves_nothing_behind_and_keeps_the_place(self):
        self.append(*[made.gradients(update) for update in range(0, 500, 100)])
        browser = self.open_page()
        browser.js("dispatchEvent(new Event('beforeprint'))")  # draws every chart
        browser.js("""
          window.old = plumbReport.charts.get('curve.train.loss').chart;
          window.layers = document.getElementById('layers');
          document.querySelector('#configs details').open = true;
          document.querySelector('[data-chart="gradients.heat"]').scrollIntoView({behavior: 'instant'});
        """)
        heat = "document.querySelector('[data-chart=\"gradients.heat\"]')"
        top = lambda: browser.js(f"return {heat}.getBoundingClientRect().top")
        before = top()
        self.append(made.valid(500, 2.0, bleu=3.0))  # three more charts, above
        browser.wait("plumbReport.charts.has('curve.valid.bleu')", "new charts")
        for _ in range(5):
            self.assertAlmostEqual(top(), before, delta=2)
            time.sleep(0.1)
        self.assertIsNone(browser.js("return window.old.plot"), "the chart that was there is gone, not only hidden")
        self.assertTrue(browser.js("return window.layers.isConnected"), "what has not changed is not made anew")
        self.assertEqual(browser.js("return plumbReport.drawings()"), browser.js("return plumbReport.charts.size"))
        with open(self.run_folder / "config.toml", "a") as config:
            config.write("# a remark\n")
        browser.wait("document.getElementById('configs').textContent.includes('a remark')", "the new configuration")
        self.assertTrue(browser.js("return document.querySelector('#configs details').open"), "it stays unfolded")
        self.append(made.record(type="event", event="nonfinite", update=501, loss="NaN"))
        browser.wait("document.querySelector('.events').textContent.includes('nonfinite')", "the event")
        self.assertEqual(browser.console(), [])
        self.end()

    def test_what_did_not_arrive_whole_is_asked_for_again(self):
        browser = self.open_page()
        browser.js("""
          window.asked = [];
          window.real = window.fetch;
          window.answers = ['{"runs"', '{"runs": [{"name": "x", "curves": null}]}'];
          window.fetch = (address, options) => {
            window.asked.push({tag: options.headers['If-None-Match'] || null, said: document.getElementById('live').textContent});
            const text = window.answers.shift();
            return text ? Promise.resolve(new Response(text, {headers: {ETag: '"broken"'}})) : window.real(address, options);
          };
        """)
        browser.wait("window.asked.length >= 4", "four questions")
        asked = browser.js("return window.asked")
        self.assertNotIn('"broken"', [one["tag"] for one in asked], "no tag of what was not shown")
        self.assertIn("has ended", asked[1]["said"])
        self.assertIn("newer data cannot be shown", asked[2]["said"])
        self.assertEqual(asked[3]["said"], "live")
        self.assertEqual(browser.js("return plumbReport.data().runs[0].name"), "run")
        self.end()


if __name__ == "__main__":
    unittest.main()
