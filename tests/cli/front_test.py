"""The front program from outside: help, lists, inspect, errors and exit codes. Needs PLUMB_BIN_DIR."""

import json
import os
import re
import shutil
import stat
import statistics
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(os.environ["PLUMB_BIN_DIR"])
SOURCE = Path(os.environ.get("PLUMB_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PLUMB = str(BIN / "plumb")


def run(*arguments, program=PLUMB, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, **options)


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


class FrontTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plumb_front_test_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_data(self, result):
        """It worked: data on stdout, nothing to say."""
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def assert_error(self, result, code, *parts):
        """One line on stderr with all of the parts, no data, that exit code."""
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aplumb: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, result.stderr)

    def commands(self):
        return json.loads(self.assert_data(run("list", "commands", "--json")))


class Help(FrontTest):
    def test_overview_names_every_command_and_an_example(self):
        overview = self.assert_data(run("--help"))
        for command in self.commands():
            self.assertRegex(overview, rf"(?m)^{command['name']}\s+\S")
        self.assertIn("Example:\n  plumb ", overview)
        self.assertEqual(self.assert_data(run()), overview)
        self.assertEqual(self.assert_data(run("-h")), overview)
        self.assertEqual(self.assert_data(run("help")), overview)

    def test_help_of_a_command_ends_with_its_example(self):
        own = [command for command in self.commands() if command["program"] == "plumb"]
        self.assertTrue(own)
        for command in own:
            text = self.assert_data(run(command["name"], "--help"))
            self.assertTrue(text.rstrip().endswith("Example:\n  " + command["example"]), text)
            self.assertIn(command["summary"], text)

    def test_version(self):
        self.assertRegex(self.assert_data(run("--version")), r"\Aplumb \d+\.\d+\.\d+( \([0-9a-f]{12}(-dirty)?\))?\n\Z")

    def test_help_answers_at_once(self):
        # The promise is 50 ms; five times that leaves room for a busy machine, not for loading LibTorch.
        seconds = []
        for _ in range(7):
            start = time.monotonic()
            run("--help")
            seconds.append(time.monotonic() - start)
        self.assertLess(statistics.median(seconds), 0.25)


class Lists(FrontTest):
    def test_variants_are_complete_and_fit_the_terminal(self):
        text = self.assert_data(run("list", "variants"))
        rows = json.loads(self.assert_data(run("list", "variants", "--json")))
        table = (SOURCE / "src/plumb/catalogue/variants.cpp").read_text()
        self.assertEqual([row["name"] for row in rows], re.findall(r'\{\.name = "(\w+)"', table))
        for row in rows:
            self.assertRegex(text, rf"(?m)^{row['name']} ")
            for key in ("paper", "equation", "norms", "extra_parameters", "warmup"):
                self.assertTrue(row[key], row)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_one_variant_shows_every_sublayer(self):
        for row in json.loads(self.assert_data(run("list", "variants", "--json"))):
            text = self.assert_data(run("list", "variants", row["name"]))
            for part in (row["paper"], row["equation"], "encoder.self_attn", "decoder.encoder_attn", "decoder.ffn"):
                self.assertIn(part, text)
            detail = json.loads(self.assert_data(run("list", "variants", row["name"], "--json")))
            self.assertEqual({key: detail[key] for key in row}, row)
            self.assertTrue(detail["example"])

    def test_b2t_adds_the_bottom_at_the_end_of_a_layer_only(self):
        example = json.loads(self.assert_data(run("list", "variants", "b2t", "--json")))["example"]
        equations = {place["sublayer"]: place["equation"] for place in example}
        self.assertEqual(equations["encoder.self_attn"], "norm(x + F(x))")
        self.assertEqual(equations["encoder.ffn"], "norm(x_bottom + x + F(x))")

    def test_every_table_comes_as_text_json_and_markdown(self):
        for table in ("variants", "inits", "norms", "optimisers", "schedules", "metrics", "commands", "config"):
            text = self.assert_data(run("list", table))
            document = self.assert_data(run("list", table, "--markdown"))
            self.assertTrue(document.startswith("# "))
            self.assertIn(f"Generated by `plumb list {table} --markdown`", document)
            rows = json.loads(self.assert_data(run("list", table, "--json")))
            self.assertTrue(rows)
            for row in rows:
                self.assertIn(row["name"], text)
                self.assertIn(f"`{row['name'].split('.')[-1]}`", document)
                self.assertIn(row["name"], self.assert_data(run("list", table, row["name"])))

    def test_unknown_names_get_the_nearest(self):
        self.assert_error(run("list", "variants", "b2tt"), 2, "b2tt", "Did you mean b2t?")
        self.assert_error(run("list", "variant"), 2, "Did you mean variants?", "inits, norms")
        self.assert_error(run("list", "config", "model.headz"), 2, "Did you mean model.heads?")
        self.assert_error(run("list", "variants", "--jsno"), 2, "Did you mean --json?")
        self.assert_error(run("list"), 2, "TABLE is required", "plumb list --help")
        self.assert_error(run("list", "variants", "--json", "--markdown"), 2, "excludes")

    def test_a_reader_who_leaves_is_no_error(self):
        result = subprocess.run(f"'{PLUMB}' list variants | head -1", shell=True, capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        self.assertEqual(len(result.stdout.splitlines()), 1)
        # Nobody there at all, and SIGPIPE ignored, as under some parents.
        read, write = os.pipe()
        os.close(read)
        try:
            result = subprocess.run(
                [PLUMB, "list", "variants"], stdout=write, stderr=subprocess.PIPE, restore_signals=False, timeout=20
            )
        finally:
            os.close(write)
        self.assertEqual(result.stderr, b"")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PLUMB, "list", "variants"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stderr, r"\Aplumb: stdout: [^\n]+\n\Z")


class Inspect(FrontTest):
    def write(self, content):
        path = self.folder / "model.safetensors"
        path.write_bytes(content)
        return str(path)

    def test_lists_tensors_totals_and_metadata(self):
        header = {
            "__metadata__": {"format": "pt", "note": "two\nlines"},
            "a.weight": tensor([2, 3], 0, 24),
            "b\x1b[31m": tensor([], 24, 32, "F64"),
        }
        path = self.write(safetensors(header, bytes(32)))
        text = self.assert_data(run("inspect", path))
        self.assertRegex(text, r"(?m)^a\.weight +F32 +\[2, 3\] +24$")
        self.assertIn("2 tensors, 7 elements, 32 bytes", text)
        self.assertIn("metadata note: two?lines", text)
        self.assertNotIn("\x1b", text)
        found = json.loads(self.assert_data(run("inspect", path, "--json")))
        self.assertEqual(found["count"], 2)
        self.assertEqual(found["bytes"], 32)
        self.assertEqual(found["metadata"], header["__metadata__"])
        self.assertIn({"name": "a.weight", "dtype": "F32", "shape": [2, 3], "bytes": 24}, found["tensors"])

    def test_an_empty_model_is_a_file_too(self):
        self.assertIn("0 tensors", self.assert_data(run("inspect", self.write(safetensors({})))))

    def test_damaged_files_are_exit_3(self):
        good = safetensors({"a": tensor([2, 3], 0, 24)}, bytes(24))
        damaged = {
            "empty": b"",
            "short": good[:5],
            "truncated": good[:-1],
            "longer": good + b"x",
            "huge header": struct.pack("<Q", 2**63) + good[8:],
            "header beyond the end": struct.pack("<Q", 10**6) + good[8:],
            "no json": safetensors(b"{nope}"),
            "deep json": safetensors(b'{"a":' * 50000),
            "an array": safetensors([]),
            "overlap": safetensors({"a": tensor([4], 0, 16), "b": tensor([4], 8, 24)}, bytes(24)),
            "hole": safetensors({"a": tensor([1], 0, 4), "b": tensor([1], 8, 12)}, bytes(12)),
            "wrong size": safetensors({"a": tensor([3], 0, 16)}, bytes(16)),
            "backwards": safetensors({"a": tensor([4], 16, 0)}, bytes(16)),
            "negative": safetensors({"a": tensor([-4], 0, 16)}, bytes(16)),
            "overflow": safetensors({"a": tensor([2**62, 8], 0, 16)}, bytes(16)),
            "dtype": safetensors({"a": tensor([4], 0, 16, "F33")}, bytes(16)),
            "text": b"#!/bin/sh\necho this is not a model\n" * 9,
        }
        for name, content in damaged.items():
            for flags in ([], ["--json"]):
                with self.subTest(name, flags=flags):
                    self.assert_error(run("inspect", self.write(content), *flags), 3, "model.safetensors")

    def test_a_missing_file_is_the_users(self):
        self.assert_error(run("inspect", str(self.folder / "no.safetensors")), 2, "no.safetensors")
        self.assert_error(run("inspect", str(self.folder)), 2, "directory")
        self.assert_error(run("inspect"), 2, "FILE is required")


class Commands(FrontTest):
    def test_unknown_commands_get_the_nearest(self):
        self.assert_error(run("lsit"), 2, "lsit", "Did you mean list?")
        self.assert_error(run("xyzzyxyzzy"), 2, "plumb --help")
        self.assert_error(run("--nope"), 2, "--nope", "no such option")
        self.assert_error(run(""), 2, "plumb --help")

    def engine_command(self):
        return next(command["name"] for command in self.commands() if command["program"] == "plumb-engine")

    def copy_of_front(self):
        copy = self.folder / "plumb"
        shutil.copy(PLUMB, copy)
        return str(copy)

    def test_a_missing_engine_is_said_in_one_line(self):
        front = self.copy_of_front()
        result = run(self.engine_command(), program=front, env={"PATH": str(self.folder)})
        self.assert_error(result, 1, "plumb-engine", "./dev build")

    def test_the_engine_gets_every_argument_and_gives_the_exit_code(self):
        front = self.copy_of_front()
        engine = self.folder / "plumb-engine"
        engine.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\ncat\nexit 7\n')
        engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
        arguments = [self.engine_command(), "--set", "a=b c", "", "--help", "-x"]
        result = run(*arguments, program=front, input="from stdin")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout, "\n".join(arguments) + "\nfrom stdin")
        self.assertEqual(result.stderr, "")

    def settings_of_engine(self, **own):
        engine = self.folder / "plumb-engine"
        engine.write_text('#!/bin/sh\necho "$OMP_WAIT_POLICY $OPENBLAS_CORETYPE"\n')
        engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
        unset = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "OPENBLAS_CORETYPE")}
        return run(self.engine_command(), program=self.copy_of_front(), env={**unset, **own}).stdout.rstrip("\n")

    def test_the_engine_waits_passively_and_gets_the_kernels_that_the_processor_has(self):
        processor = Path("/proc/cpuinfo").read_text()
        kernels = ""
        if "GenuineIntel" in processor:
            kernels = "SKYLAKEX" if " avx512vl " in processor else "HASWELL" if " avx2 " in processor else ""
        self.assertEqual(self.settings_of_engine(), f"passive {kernels}")

    def test_what_the_user_sets_for_the_engine_stays(self):
        own = self.settings_of_engine(OMP_WAIT_POLICY="active", OPENBLAS_CORETYPE="Haswell")
        self.assertEqual(own, "active Haswell")

    def test_an_engine_that_cannot_start_is_said_in_one_line(self):
        front = self.copy_of_front()
        (self.folder / "plumb-engine").write_text("not executable")
        self.assert_error(run(self.engine_command(), program=front), 1, "plumb-engine", "cannot be started")

    @unittest.skipUnless(shutil.which("ldd"), "no ldd")
    def test_the_front_links_no_torch(self):
        lines = subprocess.run(["ldd", PLUMB], capture_output=True, text=True).stdout.splitlines()
        libraries = " ".join(line.split()[0] for line in lines)  # without addresses, some of which have a c10 in them
        self.assertIn("libfmt", libraries)
        for heavy in ("torch", "c10"):
            self.assertNotIn(heavy, libraries)


if __name__ == "__main__":
    unittest.main()
