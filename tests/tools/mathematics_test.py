"""docs/mathematics.md knows every row of the tables, and every section that code and tests cite is in it."""

import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("PLUMB_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TEXT = (ROOT / "docs" / "mathematics.md").read_text()
SECTIONS = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?) ", TEXT, re.MULTILINE))

NUMBER = r"\d+(?:\.\d+)?(?: \(\w+\))?"
CITATION = re.compile(rf"mathematics\.md ({NUMBER}(?:(?:, | and | to | - ){NUMBER})*)")


def source(path):
    return (ROOT / "src" / "plumb" / path).read_text()


def section(number):
    """The text of a section, its sub-sections included."""
    found = re.search(rf"^## {number} .*?(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def citations():
    """(file, section) for every section that code, tests and benchmarks cite."""
    for folder in ("src", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp") or not path.is_file():
                continue
            for match in CITATION.finditer(path.read_text()):
                for number in re.findall(r"\d+(?:\.\d+)?", match[1]):
                    yield path.relative_to(ROOT), number


class Mathematics(unittest.TestCase):
    def test_every_variant_has_a_row_and_an_equation(self):
        names = re.findall(r'\{\.name = "(\w+)"', source("catalogue/variants.cpp"))
        self.assertGreater(len(names), 20)
        rows = re.findall(r"^\| `(\w+)` .*\| (\d\.\d+) \|$", section(2), re.MULTILINE)
        self.assertEqual(sorted(names), sorted(name for name, _ in rows))
        for name, number in rows:
            self.assertRegex(TEXT, rf"(?m)^### {re.escape(number)} .*`{name}`", f"section {number} is not about {name}")

    def test_every_schedule_and_probe_is_explained(self):
        schedules = re.findall(r'\{\.name = "(\w+)"', source("catalogue/schedules.cpp"))
        probes = re.findall(r'^    \{\.name = "(\w+)", \.tier', source("catalogue/probes.cpp"), re.MULTILINE)
        self.assertGreater(min(len(schedules), len(probes)), 5)
        for name in schedules:
            self.assertIn(f"| `{name}` |", section(1))
        for name in probes:
            self.assertRegex(section(5), rf"(?m)^### 5\.\d+ .*`{name}`")

    def test_cited_sections_exist(self):
        cited = list(citations())
        self.assertGreater(len(cited), 30)
        for path, number in cited:
            self.assertIn(number, SECTIONS, f"{path} cites section {number}")

    def test_sections_are_numbered_in_order(self):
        numbers = [tuple(map(int, number.split("."))) for number in
                   re.findall(r"^#{2,3} (\d+(?:\.\d+)?) ", TEXT, re.MULTILINE)]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(len(numbers), len(set(numbers)))


if __name__ == "__main__":
    unittest.main()
