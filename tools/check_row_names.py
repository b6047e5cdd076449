"""Nothing outside the table and the folders that implement it asks which variant, probe or metric it is: no string
there equals the name of a row. What differs is data of the row."""

import dataclasses
import re
import sys

import tree


@dataclasses.dataclass(frozen=True)
class Table:
    """A table whose rows are named in `file`, and the folders that may name them."""
    what: str
    file: str
    folders: tuple
    # Names that are ordinary words as well (keys of records, names of other rows): only where they are compared with
    # a name, or looked up, are they those of a row.
    ordinary: frozenset = frozenset()


CATALOGUE = "src/plumb/catalogue/"
TABLES = (
    Table("variant", CATALOGUE + "variants.cpp", ("src/plumb/residual/",)),
    Table("probe", CATALOGUE + "probes.cpp", ("src/plumb/probe/",), frozenset({"gradient_norm", "step", "update"})),
    Table("metric", CATALOGUE + "metrics.cpp", ("src/plumb/metric/",), frozenset({"exact"})),
)
# The one default: the variant of a model that names none.
DEFAULT_FILE, DEFAULT_LINE = "src/plumb/config/config.h", re.compile(r'^\s*std::string variant = "\w+";$')

SCRIPT = (".js",)
ROW_NAME = re.compile(r'\.name = "([^"]+)"')
# Comments and other literals are matched so that a quote inside them does not open a string.
CPP_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | '(?:\\.|[^'\\\n])'
        | R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"
        | "(?P<plain>(?:\\.|[^"\\\n])*)" """,
    re.VERBOSE | re.DOTALL)
# In the page's scripts a row may also be the key of an object.
SCRIPT_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/
        | '(?P<plain>(?:\\.|[^'\\\n])*)' | "(?P<raw>(?:\\.|[^"\\\n])*)"
        | (?<=[{,\n])[ ]*(?P<key>\w+)(?=:[ ]) """,
    re.VERBOSE | re.DOTALL)
ASKED_FOR = re.compile(r"(?:\b(?:name|probe|metric)(?:\(\))?\s*[!=]==?\s*|\bfind_(?:probe|metric)\(\s*)$")


def strings(content, token):
    """(where it begins, value) of every string literal."""
    for match in token.finditer(content):
        value = next((value for group, value in match.groupdict().items() if group != "mark" and value is not None), None)
        if value is not None:
            yield match.start(), value


def row_names(root, table):
    path = root / table.file
    return set(ROW_NAME.findall(tree.text(path))) if path.exists() else set()


def is_default(path, line):
    return path == DEFAULT_FILE and DEFAULT_LINE.match(line)


def problems(root):
    names = {table: row_names(root, table) for table in TABLES}
    for table in TABLES:
        if not names[table]:
            yield f"{table.file}: no row names found (.name = \"...\")"
    for path in map(str, tree.files(root)):
        if not path.startswith("src/plumb/") or path.startswith(CATALOGUE) or not path.endswith(tree.CPP + SCRIPT):
            continue
        tables = [table for table in TABLES if not path.startswith(table.folders)]
        content = tree.text(root / path) or ""
        for start, value in strings(content, SCRIPT_TOKEN if path.endswith(SCRIPT) else CPP_TOKEN):
            for table in tables:
                if value not in names[table]:
                    continue
                if value in table.ordinary and not ASKED_FOR.search(content, max(0, start - 40), start):
                    continue
                line = content.count("\n", 0, start) + 1
                if not is_default(path, content.splitlines()[line - 1]):
                    yield f"{path}:{line}: names the {table.what} \"{value}\": make what differs data of its row"


if __name__ == "__main__":
    sys.exit(tree.conclude("row names", list(problems(tree.parser(__doc__).parse_args().root))))
