"""The short form of the campaign: a few cases of every attack, and nothing fails."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class TortureShortTest(unittest.TestCase):
    def test_every_case_of_the_short_form_is_survived(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "torture"), "--short"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=1400, check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
