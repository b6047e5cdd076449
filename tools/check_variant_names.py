"""Nothing outside catalogue/ and residual/ asks which variant it is: no string there equals the name of a row."""

import re
import sys

import tree

TABLE = "src/plumb/catalogue/variants.cpp"
MAY_NAME_ROWS = ("src/plumb/catalogue/", "src/plumb/residual/")
# The one default: the variant of a model that names none.
DEFAULT_FILE, DEFAULT_LINE = "src/plumb/config/config.h", re.compile(r'^\s*std::string variant = "\w+";$')

ROW_NAME = re.compile(r'\.name = "([^"]+)"')
# Comments and other literals are matched so that a quote inside them does not open a string.
TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | '(?:\\.|[^'\\\n])'
        | R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"
        | "(?P<plain>(?:\\.|[^"\\\n])*)" """,
    re.VERBOSE | re.DOTALL)


def strings(content):
    """(line number, value) of every string literal."""
    for match in TOKEN.finditer(content):
        value = match["raw"] if match["raw"] is not None else match["plain"]
        if value is not None:
            yield content.count("\n", 0, match.start()) + 1, value


def problems(root):
    table = root / TABLE
    names = set(ROW_NAME.findall(tree.text(table))) if table.exists() else set()
    if not names:
        yield f"{TABLE}: no row names found (.name = \"...\")"
    for path in map(str, tree.files(root)):
        if not path.startswith("src/plumb/") or path.startswith(MAY_NAME_ROWS) or not path.endswith(tree.CPP):
            continue
        content = tree.text(root / path) or ""
        lines = content.splitlines()
        for line, value in strings(content):
            is_default = path == DEFAULT_FILE and DEFAULT_LINE.match(lines[line - 1])
            if value in names and not is_default:
                yield f"{path}:{line}: names the variant \"{value}\": make what differs data of its row"


if __name__ == "__main__":
    sys.exit(tree.conclude("variant names", list(problems(tree.parser(__doc__).parse_args().root))))
