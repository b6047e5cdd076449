"""What no file of the tree may have: names that say nothing, loose ends, paths of one machine, 500 lines, tabs."""

import re
import sys

import tree

EMPTY_NAMES = {"util", "utils", "common", "helper", "helpers", "misc"}
SOURCE = tree.CPP + (".py", ".cmake")
MOST_LINES = 500
# One letter in brackets, so that this file does not find itself.
LOOSE_END = re.compile(r"\b(TO[D]O|FIX[M]E)\b(?!\s*\(?#\d+)")
MACHINE_PATH = re.compile(r"(?<![\w.}])/(wor[k]|roo[t]|hom[e])/")


def check_line(line, is_cpp):
    if LOOSE_END.search(line):
        yield f"{LOOSE_END.search(line)[1]} without an issue number: write it as (#12), or do it"
    if MACHINE_PATH.search(line):
        yield "a path of one machine"
    if is_cpp and "\t" in line:
        yield "a tab"


def problems(root):
    for path in tree.files(root):
        empty = EMPTY_NAMES & {part.split(".")[0].lower() for part in path.parts}
        if empty:
            yield f"{path}: a name that says nothing: {', '.join(sorted(empty))}"
        lines = (tree.text(root / path) or "").splitlines()
        if path.suffix in SOURCE and len(lines) > MOST_LINES:
            yield f"{path}: {len(lines)} lines, more than {MOST_LINES}"
        for number, line in enumerate(lines, 1):
            for problem in check_line(line, path.suffix in tree.CPP):
                yield f"{path}:{number}: {problem}"


if __name__ == "__main__":
    sys.exit(tree.conclude("words", list(problems(tree.parser(__doc__).parse_args().root))))
