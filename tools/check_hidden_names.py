"""Names in the anonymous namespaces of a folder differ: its files are compiled several at a time, as one."""

import collections
import re
import sys

import tree

# What a file hides: constants, types, aliases, and functions with their parameters (overloads may share a name). Only
# declarations at the left margin: bodies are indented.
DECLARATION = re.compile(
    r"^(?![ }])(?:"
    r"(?:(?:static |inline |thread_local |volatile )*(?:const(?:expr)?|std::atomic<[^>]*>|thread_local|volatile) [^=({;]*?"
    r"\b(?P<constant>[A-Za-z_]\w*)(?:\[[^\]]*\])*(?: = |\{|;)"
    r"|const [\w:]+ (?P<made>k[A-Z]\w*)\("
    r"|(?:struct|class|enum class|union) (?P<type>\w+)[^;]*?\{"
    r"|using (?P<alias>\w+ = [^;]*);)"
    r"|(?!(?:namespace|using|return|else|template|struct|class|enum)\b)[\w:<>,&*\[\] ]+?[ &*](?P<function>(?!operator\b)[A-Za-z_]\w*)"
    r"(?P<parameters>\((?:[^;{}()]|\(\))*\))(?: const)?(?: noexcept)? \{"
    r")", re.MULTILINE)


# Compiled one file at a time.
ALONE = ("kernel",)


def hidden_parts(content):
    """(offset, text) of every anonymous namespace; it ends where a line closes it, as clang-format writes it."""
    for match in re.finditer(r"^namespace \{$(.*?)^\}  // namespace$", content, re.MULTILINE | re.DOTALL):
        yield match.start(1), match[1]


def types_only(parameters):
    """Parameters without their names and defaults: what makes two functions the same."""
    kept = []
    for parameter in parameters.strip("()").split(","):
        parameter = re.sub(r"=.*", "", parameter).strip()
        kept.append(re.sub(r"(?<=[\s&*])\w+$", "", parameter).strip() if " " in parameter else parameter)
    return "(" + ", ".join(kept) + ")"


def names(content):
    """(line, name, meaning) of every declaration that a file hides; the meaning is that of an alias."""
    for offset, part in hidden_parts(content):
        for match in DECLARATION.finditer(part):
            name, _, meaning = (match["constant"] or match["made"] or match["type"] or match["alias"] or "").partition(" = ")
            if match["function"]:
                name = match["function"] + types_only(match["parameters"])
            yield content.count("\n", 0, offset + match.start()) + 1, name, meaning


def problems(root):
    seen = collections.defaultdict(dict)
    for path in tree.files(root):
        grouped = path.parts[:2] == ("src", "plumb") and path.parts[2] not in ALONE or path.parts[0] == "tests"
        if not grouped or path.suffix != ".cpp":
            continue
        folder = seen[path.parts[:2] if path.parts[0] == "tests" else path.parts[:3]]
        for line, name, meaning in names(tree.text(root / path) or ""):
            before, meant = folder.setdefault(name, (path, meaning))
            if before != path and not (meaning and meaning == meant):  # an alias may be said twice
                yield f"{path}:{line}: {name} is also hidden in {before}; they are compiled together"


if __name__ == "__main__":
    sys.exit(tree.conclude("hidden names", list(problems(tree.parser(__doc__).parse_args().root))))
