"""The files of the tree, and how a check says what it found. Run it to list files: tree.py --root . .h .cpp"""

import argparse
import pathlib
import subprocess
import sys

NOT_OURS = {".git", "build", "runs", "__pycache__"}
CPP = (".h", ".cpp")


def files(root):
    """Every file that is tracked or could be (not ignored), as sorted paths relative to root."""
    root = pathlib.Path(root)
    names = _from_git(root)
    if names is None:  # a tree without git: an unpacked archive, or one made by a test
        names = [p.relative_to(root) for p in root.rglob("*") if not NOT_OURS & set(p.relative_to(root).parts)]
    return sorted({p for p in names if (root / p).is_file()})


def _from_git(root):
    if not (root / ".git").exists():
        return None
    # In CI the checkout may belong to another user, and git then refuses even to list it.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        listing = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return [pathlib.Path(name) for name in listing.split("\0") if name]


def text(path):
    """The text of a file, or None if it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def parser(description):
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    return result


def conclude(what, problems):
    """Prints one line per problem and one for the check; returns the exit code."""
    for problem in problems:
        print(problem)
    print(f"{what}: {'ok' if not problems else f'{len(problems)} wrong'}")
    return 1 if problems else 0


def main():
    arguments = parser(__doc__)
    arguments.add_argument("suffixes", nargs="+")
    given = arguments.parse_args()
    for path in files(given.root):
        if path.suffix in given.suffixes:
            print(path)


if __name__ == "__main__":
    sys.exit(main())
