"""Data pointers and tensors without a device stay where the CPU's kernels are: everything else runs on any device."""

import re
import sys

import tree

# Folders whose code is of the CPU: kernels, what calls them, and the border between plain numbers and tensors.
OF_THE_CPU = [("kernel",), ("ops", "fused"), ("ops", "tangent"), ("memory",)]
# The inner loop of a search goes over the scores of a step, which it has brought to the CPU.
ALSO = {("decode", "search.cpp")}

POINTER = re.compile(r"\b(?:(?:mutable_|const_)?data_ptr|(?:packed_)?accessor)\b")
# The functions that make a tensor of nothing; those that end in _like take the device of another tensor.
FACTORY = re.compile(r"\b(?:at|torch)::(tensor|scalar_tensor|from_blob|empty|empty_strided|zeros|ones|full|eye|arange|range|"
                     r"linspace|logspace|rand|randn|randint|randperm|\w+_window)\(")
NAMES_A_PLACE = re.compile(r"\b(?:options|device)\b")


def without_comments(content):
    """The same lines without what // begins."""
    return re.sub(r"//[^\n]*", "", content)


def arguments(content, begin):
    """The text from an opening bracket, which ends before `begin`, to the one that closes it."""
    depth = 1
    for end in range(begin, len(content)):
        depth += (content[end] in "({[") - (content[end] in ")}]")
        if depth == 0:
            return content[begin:end]
    return content[begin:]


def of_the_cpu(parts):
    return parts in ALSO or any(parts[:len(folder)] == folder for folder in OF_THE_CPU)


def problems(root):
    for path in tree.files(root):
        if path.parts[:2] != ("src", "plumb") or path.suffix not in (".cpp", ".h"):
            continue
        if of_the_cpu(path.parts[2:]):
            continue
        content = without_comments(tree.text(root / path) or "")
        found = [(match.start(), f"{match[0]} reads memory of the CPU; use numbers_of(), item() or a Where")
                 for match in POINTER.finditer(content)]
        for match in FACTORY.finditer(content):
            if not NAMES_A_PLACE.search(arguments(content, match.end())):
                found.append((match.start(), f"{match[1]}() names no device; give it the options of a Where or a tensor"))
        for offset, problem in sorted(found):
            line = content.count("\n", 0, offset) + 1
            yield f"{path}:{line}: {problem}"


if __name__ == "__main__":
    sys.exit(tree.conclude("where", list(problems(tree.parser(__doc__).parse_args().root))))
