"""One place writes to stderr, and one to stdout: what fails there is dealt with there, and nothing else ends a run."""

import re
import sys

import tree

TALK, DATA = ("base", "to_stderr.cpp"), ("cli", "command_line.cpp")
STDERR = re.compile(r"\bstderr\b|\bstd::c(?:err|log)\b|\bperror\b|\bwrite\(\s*(?:2|STDERR_FILENO)\b")
STDOUT = re.compile(r"\bstdout\b|\bstd::cout\b|\bfmt::print\b|\b(?:printf|puts|putchar)\b|"
                    r"\bwrite\(\s*(?:1|STDOUT_FILENO)\b")
# What // begins, and what stands in quotes: neither prints anything.
NO_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')


def problems(root):
    for path in tree.files(root):
        if path.parts[:2] != ("src", "plumb") or path.suffix not in tree.CPP:
            continue
        content = NO_CODE.sub("", tree.text(root / path) or "")
        for number, line in enumerate(content.split("\n"), 1):
            if STDERR.search(line) and path.parts[2:] != TALK:
                yield f"{path}:{number}: {STDERR.search(line)[0]}; say it with to_stderr(), which never fails"
            if STDOUT.search(line) and path.parts[2:] != DATA:
                yield f"{path}:{number}: {STDOUT.search(line)[0]}; print() sees that data arrives"


if __name__ == "__main__":
    sys.exit(tree.conclude("talk", list(problems(tree.parser(__doc__).parse_args().root))))
