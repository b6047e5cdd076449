"""The campaign of tools/torture itself: it notices what it is there for, repeats what it tried, and models disks rightly."""

import errno
import io
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import wave

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools" / "torture"))
import attacks  # noqa: E402
import campaign  # noqa: E402
import disk_state  # noqa: E402
from attack import Attack, Failed, Listed, NothingLeft  # noqa: E402
from attacks import audio, configs, disk, kills, standard_files, vocabularies  # noqa: E402
from attacks.power_cut import resumed_from  # noqa: E402
from damaged_run import DamagedRun, difference  # noqa: E402
from lab import Lab, broken_checkpoints  # noqa: E402
from program import Ended, Program  # noqa: E402
from shim import Shim  # noqa: E402


class TortureTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def program(self, script, limit=20):
        """A program that stands for plumb."""
        file = self.root / "plumb"
        file.write_text("#!/bin/bash\n" + script)
        file.chmod(0o755)
        return Program(self.root, limit)

    def kind(self, function, *arguments, **options):
        """Which kind of failure it raises, or None."""
        try:
            function(*arguments, **options)
        except Failed as failed:
            return failed.kind
        return None


class Programs(TortureTest):
    def fault(self, script, limit=20):
        return self.kind(self.program(script, limit).run("x", cwd=self.root).check)

    def test_faults_have_their_kinds(self):
        self.assertIsNone(self.fault("echo 'plumb: no such file' >&2; exit 2"))
        self.assertEqual(self.fault("kill -SEGV $$"), "crash")
        self.assertEqual(self.fault("kill -KILL $$"), "crash")
        self.assertEqual(self.fault("bash -c 'kill -ABRT $$'; exit $?"), "crash")
        self.assertEqual(self.fault("echo 'plumb: internal error: x' >&2; exit 1"), "internal error")
        self.assertEqual(self.fault("exit 1"), "internal error")
        self.assertEqual(self.fault("exit 77"), "other")
        self.assertEqual(self.fault("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 2"), "other")

    def test_a_hang_is_ended_with_its_children(self):
        begun = self.program("sleep 1000 & sleep 1000", 0.3).start("x", cwd=self.root)
        self.assertEqual(self.kind(begun.wait(0.3).check), "hang")
        self.assertEqual(begun.session(), [])

    def test_output_and_complaints(self):
        ended = self.program("cat; echo 'update 5' >&2; echo 'plumb: careful' >&2").run("x", cwd=self.root, stdin=b"a\n")
        self.assertEqual((ended.out, ended.said(), ended.complained()), (b"a\n", "plumb: careful", True))
        self.assertFalse(Ended(0, b"", b"update 5\n", False, 0).complained())


class Sometimes(Attack):
    name = "sometimes"

    def count(self):
        return 10

    def run(self, case):
        if case % 4 == 1:
            raise Failed("hang", f"case {case}")
        if case == 7:
            raise ValueError("a mistake of the attack")
        if case == 8:
            raise NothingLeft


class Campaigns(TortureTest):
    def lab(self, seed=1):
        return Lab(None, self.root, seed)

    def test_every_failure_is_counted_and_has_its_case(self):
        [result] = campaign.run([Sometimes(self.lab())], 100, False, lambda text: None)
        self.assertEqual((result.tried, [failure[:2] for failure in result.failures]),
                         (9, [(1, "hang"), (5, "hang"), (7, "other"), (9, "hang")]))
        self.assertIn("| sometimes | 9     | 5        | 0       | 3     |", campaign.table([result]))

    def test_time_ends_an_attack_but_not_before_its_first_case(self):
        [result] = campaign.run([Sometimes(self.lab())], 0, False, lambda text: None)
        self.assertEqual(result.tried, 1)
        [result] = campaign.run([Sometimes(self.lab())], 0, True, lambda text: None)
        self.assertEqual(result.tried, Sometimes.short)

    def test_a_skipped_attack_says_why(self):
        attack = Sometimes(self.lab())
        attack.skip = lambda: "not here"
        [result] = campaign.run([attack], 100, False, lambda text: None)
        self.assertEqual((result.tried, campaign.summary(result)), (0, "sometimes: skipped: not here"))

    def test_a_seed_decides_what_is_tried(self):
        class Ten(Listed):
            name = "ten"

            def listed(self):
                return ((label, print) for label in range(10))

        orders = [[label for label, _ in Ten(self.lab(seed)).cases()] for seed in (1, 1, 2)]
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        self.assertEqual(sorted(orders[0]), list(range(10)))

    def test_names_are_unique_and_described(self):
        names = [one.name for one in attacks.ALL]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue(all(one.name and one.about for one in attacks.ALL))


class DamagedRuns(TortureTest):
    """A reader that is misled is found, one that refuses or warns is not blamed."""

    def judge(self, ended):
        lab = Lab(None, self.root, 1)
        lab.__dict__["readings"] = {"evaluate": Ended(0, b'{"loss": 3.5}', b"", False, 0)}
        lab.read = lambda command, folder: ended
        return self.kind(DamagedRun(lab).reader, "evaluate", self.root)

    def test_a_silent_difference_is_a_failure(self):
        self.assertEqual(self.judge(Ended(0, b'{"loss": 1e35}', b"", False, 0)), "silently wrong")
        self.assertIsNone(self.judge(Ended(0, b'{"loss": 3.5}', b"", False, 0)))
        self.assertIsNone(self.judge(Ended(3, b"", b"plumb: x: does not have its checksum\n", False, 0)))
        self.assertIsNone(self.judge(Ended(0, b'{"loss": 4}', b"plumb: x: has another config\n", False, 0)))

    def test_differences_are_named(self):
        self.assertEqual(difference(b'{"a": 1, "loss": 2}', b'{"a": 3, "loss": 4}'), "loss 2 became 4")
        self.assertIn("x became", difference(b"a\nx\n", b"a\ny\n"))

    def test_a_checkpoint_that_is_not_whole(self):
        folder = self.root / "checkpoints" / "5"
        folder.mkdir(parents=True)
        (folder / "state.json").write_text(json.dumps({"files": {"m": "0" * 64}}))
        (folder / "m").write_text("x")
        self.assertEqual(len(list(broken_checkpoints(self.root))), 1)
        (folder / "m").unlink()
        self.assertEqual(len(list(broken_checkpoints(self.root))), 1)
        (self.root / "checkpoints" / ".unfinished-6").mkdir()
        shutil.rmtree(folder)
        self.assertEqual(list(broken_checkpoints(self.root)), [])


class Mutants(TortureTest):
    def test_the_same_seed_makes_the_same_mutants(self):
        for make in (audio.mutant, lambda draw: configs.mutated(draw, b"seed = 1\n[data]\ncache = \"x\"\n")):
            self.assertEqual(make(random.Random("x/1")), make(random.Random("x/1")))
            self.assertGreater(len({make(random.Random(f"x/{seed}")) for seed in range(20)}), 10)

    def test_tones_are_audio(self):
        for width in (1, 2, 3, 4):
            with wave.open(io.BytesIO(audio.tone(1, width=width, frames=100))) as file:
                self.assertEqual((file.getsampwidth(), file.getnframes()), (width, 100))

    def test_fields_of_a_protobuf_message(self):
        inner = b"\x08\x96\x01" + b"\x12\x03abc"  # 1: 150, 2: "abc"
        message = b"\x0a\x02hi" + b"\x1a" + bytes([len(inner)]) + inner + b"\x25\0\0\0\0"
        [(_, *first), (number, begin, end)] = vocabularies.fields(message, 0, len(message))
        self.assertEqual((message[first[0]:first[1]], number, message[begin:end]), (b"hi", 3, inner))
        self.assertEqual([message[b:e] for _, b, e in vocabularies.fields(message, begin, end)], [b"abc"])

    def test_calls_that_differ_in_numbers_are_of_one_kind(self):
        self.assertEqual(disk.kind_of_call("write", "run/checkpoints/.unfinished-5-99/.plumb-99-1.tmp"),
                         disk.kind_of_call("write", "run/checkpoints/.unfinished-10-98/.plumb-98-7.tmp"))
        self.assertNotEqual(disk.kind_of_call("write", "run/log.jsonl"), disk.kind_of_call("fsync", "run/log.jsonl"))

    def test_status_text_in_a_file_of_the_run_is_found(self):
        (self.root / "log.jsonl").write_text('{"a": 1}\n')
        self.assertIsNone(self.kind(standard_files.only_data, self.root))
        (self.root / "events").write_bytes(b"\x00update 5  9 tok/s")
        self.assertEqual(self.kind(standard_files.only_data, self.root), "other")
        (self.root / "events").unlink()
        (self.root / "log.jsonl").write_text('{"a": 1}\nupdate 5\n')
        self.assertEqual(self.kind(standard_files.only_data, self.root), "other")

    def test_what_differs_after_a_kill_is_named(self):
        self.assertEqual(kills.what_differs(({"a": 1, "b": 2}, "x"), ({"a": 1, "b": 3}, "x")), "other contents: b")


WRITES = """
import os, sys
os.mkdir("d")
fd = os.open("d/t", os.O_CREAT | os.O_WRONLY)
for _ in range(3): os.write(fd, b"x" * 5000)
if "sync" in sys.argv: os.fsync(fd)
os.close(fd)
os.rename("d/t", "d/f")
if "sync" in sys.argv:
    for folder in ("d", "."):
        fd = os.open(folder, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
"""


@unittest.skipUnless(shutil.which("cc"), "shim.c needs a C compiler")
class Disks(TortureTest):
    def setUp(self):
        super().setUp()
        self.shim, self.log, self.disk = Shim(self.root), self.root / "log", self.root / "disk"

    def write(self, mode, at=0, error=0, *arguments):
        shutil.rmtree(self.disk, ignore_errors=True)
        self.disk.mkdir()
        environment = self.shim.environment(mode, self.disk, self.log, at, error)
        return subprocess.run([sys.executable, "-c", WRITES, *arguments], cwd=self.disk, env=environment,
                              start_new_session=True, capture_output=True, text=True, check=False)

    def operations(self):
        return [line.split("\t")[0] for line in self.log.read_text().splitlines()]

    def test_calls_are_counted(self):
        self.assertEqual(self.write("count").returncode, 0)
        self.assertEqual(self.operations(), ["mkdir", "open", "write", "write", "write", "rename"])

    def test_the_nth_call_meets_its_fate(self):
        self.assertIn("Input/output error", self.write("once", 4, errno.EIO).stderr)
        self.assertEqual((self.operations(), (self.disk / "d/t").stat().st_size), (["write"], 5000))
        self.assertIn("No space left", self.write("full", 1).stderr)
        self.assertEqual(self.write("kill", 6).returncode, -9)
        self.assertTrue((self.disk / "d/t").exists())
        self.write("short", 5)
        self.assertEqual((self.disk / "d/f").stat().st_size, 12500)

    def possible(self, *arguments, cuts=None):
        """What a power cut can leave of d/f or d/t: a set of (name, content is whole), over many draws."""
        self.write("record", 0, 0, *arguments)
        calls = disk_state.read_record(self.log, self.disk)
        found = set()
        for seed in range(150):
            draw, state = random.Random(seed), disk_state.DiskState()
            for call in calls[:cuts]:
                state.apply(call)
            target = self.root / f"after-{cuts}-{seed}"
            target.mkdir()
            disk_state.write_disk(state, draw, target)
            files = [file for file in target.rglob("*") if file.is_file()]
            found.add(tuple((file.name, file.read_bytes() == b"x" * 15000) for file in files))
        return found

    def test_what_was_synced_is_there_after_a_power_cut(self):
        self.assertEqual(self.possible("sync"), {(("f", True),)})

    def test_what_was_not_synced_may_be_lost_or_rubbish_but_a_rename_is_whole(self):
        self.assertEqual(self.possible(), {(), (("f", True),), (("f", False),), (("t", True),), (("t", False),)})

    def test_a_synced_file_in_a_folder_that_was_not_may_be_gone_but_is_never_damaged(self):
        calls = ["mkdir", "create", "write", "write", "write", "fsync"]
        self.assertEqual(self.possible("sync", cuts=len(calls)), {(), (("t", True),)})

    def test_the_update_a_run_resumed_at(self):
        log = self.root / "log.jsonl"
        log.write_bytes(b'{"event":"started","update":0}\n{"event":"resumed","update":10}\n\x00\xff{\n')
        self.assertEqual(resumed_from(log), 10)


if __name__ == "__main__":
    unittest.main()
