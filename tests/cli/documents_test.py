"""The documents say what is true: generated ones are up to date, commands run, links lead somewhere, counts are right."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["PLUMB_BIN_DIR"])
ROOT = Path(os.environ["PLUMB_SOURCE_DIR"])
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def plumb(*arguments):
    program = str(BIN / "plumb")
    return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)


class Documents(unittest.TestCase):
    def test_generated_documents_are_what_the_program_writes(self):
        for table in ("variants", "config", "probes"):
            written = (ROOT / "docs" / f"{table}.md").read_text()
            self.assertEqual(written, plumb("list", table, "--markdown").stdout, f"docs/{table}.md: run ./dev docs")

    def test_every_command_shown_runs_and_ends_as_the_text_says(self):
        shown = 0
        for document in DOCUMENTS:
            for block in re.findall(r"```console\n(.*?)```", document.read_text(), re.S):
                for line in block.splitlines():
                    if not line.startswith("$ plumb "):
                        continue
                    command, _, comment = line[2:].partition(" #")
                    wanted = re.search(r"exit (\d)", comment)
                    done = plumb(*shlex.split(command)[1:])
                    self.assertEqual(done.returncode, int(wanted[1]) if wanted else 0, f"{document.name}: {line}")
                    if wanted:
                        self.assertIn(done.stderr, block, f"{document.name}: {line}")
                    shown += 1
        self.assertGreaterEqual(shown, 6)

    def test_links_lead_to_files(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
                if "://" not in target:
                    self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")

    def test_readme_counts_the_rows_and_the_planted_bugs(self):
        readme = (ROOT / "README.md").read_text()
        rows = (ROOT / "src/plumb/catalogue/variants.cpp").read_text().count("{.name =")
        self.assertIn(f"{rows} rows", readme)
        bugs = (ROOT / "tests/oracle/oracle.h").read_text()
        names = re.search(r"enum class Bug \{(.*?)\}", bugs, re.S)[1]
        count = len([name for name in re.sub(r"//.*", "", names).split(",") if name.strip()]) - 1
        self.assertIn(f"{count} planted bugs", readme)

    def test_readme_shows_the_demo_as_it_is(self):
        readme = (ROOT / "README.md").read_text()
        block = re.search(r"```\n(Does it train\?.*?)```", readme, re.S)[1].splitlines()
        tiny = [part for setting in ("model.encoder_layers=1", "model.decoder_layers=1", "train.max_update=2")
                for part in ("--set", setting)]
        with tempfile.TemporaryDirectory() as folder:
            real = plumb("demo", *tiny, "--out", folder + "/demo").stdout.splitlines()
        table = [line.split() for line in real if "none" in line.split() or "updates" in line.split()]
        columns = next(line.split() for line in real if line.startswith("wiring"))
        self.assertIn(columns, [line.split() for line in block])
        for row in table:
            if row[0] != "[":  # wiring and warm-up stand in README as they are
                self.assertIn(row[:2], [line.split()[:2] for line in block])


if __name__ == "__main__":
    unittest.main()
