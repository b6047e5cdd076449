"""Too little memory is said in one line, before anything is lost: no endless loop, no internal error."""

import gzip
import os
import resource
import subprocess
import unittest

from training import PLUMB, TrainingTest

SETTINGS = {"train.max_update": 3, "model.width": 16, "model.heads": 2, "model.ffn_width": 32,
            "model.encoder_layers": 1, "model.decoder_layers": 1, "data.numbers_train": 400, "data.numbers_valid": 20}
MEGABYTE = 1000000


def limited(kind, megabytes):
    return lambda: resource.setrlimit(kind, (megabytes * MEGABYTE, megabytes * MEGABYTE))


class MemoryTest(TrainingTest):
    def run_plumb(self, *arguments, **options):
        return subprocess.run([PLUMB, *map(str, arguments)], cwd=self.folder, timeout=240, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL, **options)

    def trained(self, out, settings, *extra, **options):
        return self.run_plumb(*self.command(out, {**SETTINGS, **settings})[1:], *extra, **options)

    def assert_line(self, done, code, pattern):
        self.assertEqual(done.returncode, code, done.stderr[-500:])
        self.assertRegex(done.stderr.decode().splitlines()[-1], rf"\Aplumb: {pattern}")
        self.assertNotIn(b"internal error", done.stderr)


class Addresses(MemoryTest):
    """OpenBLAS asks for ever for memory that it does not get: each of these ends within seconds, or it hangs."""

    def test_every_limit_is_enough_or_refused_by_name(self):
        self.assertEqual(self.trained("free", {}).returncode, 0)
        enough = []
        for megabytes in (150, 600, 900, 1200, 1340, 1500, 1900, 3000):
            for threads in (1, 2):
                with self.subTest(megabytes=megabytes, threads=threads):
                    done = self.trained(f"v{megabytes}_{threads}", {"threads": threads},
                                        preexec_fn=limited(resource.RLIMIT_AS, megabytes))
                    if done.returncode == 0:
                        enough.append((megabytes, threads))
                    elif done.returncode == 4:  # little more than nothing: it got as far as that
                        self.assert_line(done, 4, "out of memory")
                    else:
                        self.assert_line(done, 2, r"ulimit -v: leaves \d\.\d\d GB; .* needs? (at least )?\d\.\d\d GB")
        self.assertIn((1900, 1), enough)
        self.assertIn((3000, 2), enough)

    def test_data(self):
        self.assert_line(self.trained("d", {}, preexec_fn=limited(resource.RLIMIT_DATA, 400)), 2, "ulimit -d: leaves ")
        self.assertEqual(self.trained("e", {}, preexec_fn=limited(resource.RLIMIT_DATA, 2000)).returncode, 0)

    def test_a_lack_in_the_middle_of_a_run_is_one_line(self):
        """The weights fit, the activations of a batch of all sentences do not."""
        done = self.trained("m", {"data.numbers_train": 4000, "train.max_tokens": 100000, "model.ffn_width": 16384},
                            preexec_fn=limited(resource.RLIMIT_AS, 1900))
        self.assert_line(done, 4, "out of memory")


class Models(MemoryTest):
    def test_that_cannot_fit_are_refused_before_they_are_built(self):
        huge = {"model.width": 65536, "model.heads": 1, "model.ffn_width": 1000000, "model.encoder_layers": 20}
        self.assert_line(self.trained("huge", huge), 2, r"memory: weights, gradients and optimiser state need \d+")
        self.assertFalse((self.folder / "huge" / "log.jsonl").exists())
        self.assert_line(self.trained("huge", huge, "--dry-run"), 2, "memory: weights and gradients need ")
        large = {"model.width": 4096, "model.ffn_width": 8192}
        done = self.trained("large", large, preexec_fn=limited(resource.RLIMIT_AS, 3000))
        self.assert_line(done, 2, "memory: weights, gradients and optimiser state need .*; ulimit -v leaves ")

    def test_a_beam_has_an_end(self):
        self.assertEqual(self.trained("run", {}).returncode, 0)
        self.assert_line(self.run_plumb("generate", "run", "--beam", 100000000), 2, ".*generate.beam: 100000000 is too")


class Bombs(MemoryTest):
    def test_a_file_that_unpacks_to_more_than_there_is(self):
        with gzip.open(self.folder / "bomb.gz", "wb", compresslevel=1) as bomb:
            for _ in range(300):
                bomb.write(b"word word word\n" * (MEGABYTE // 15))
        self.assertLess(os.path.getsize(self.folder / "bomb.gz"), 10 * MEGABYTE)
        for megabytes in (300, 500):
            done = self.run_plumb("score", "bleu", "--ref", "bomb.gz", "--hyp", "bomb.gz",
                                  preexec_fn=limited(resource.RLIMIT_AS, megabytes))
            self.assertIn(done.returncode, (2, 4), done.stderr)
            self.assert_line(done, done.returncode, r"(bomb.gz: \d\.\d\d GB of lines do not fit|out of memory)")


if __name__ == "__main__":
    unittest.main()
