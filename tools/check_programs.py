"""No program loads SentencePiece and LibTorch (they crash before main), and the front loads no LibTorch at all."""

import pathlib
import subprocess
import sys

import tree

PROGRAMS = ("plumb", "plumb-engine", "plumb-bench")
SENTENCEPIECE, TORCH = "libsentencepiece", "libtorch"


def libraries(program):
    """Names of the libraries that a program loads, or None if ldd cannot read it."""
    run = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
    return [line.split()[0] for line in run.stdout.splitlines() if line.strip()] if run.returncode == 0 else None


def problems_of(name, loaded):
    if loaded is None:
        yield f"{name}: ldd cannot read it"
        return
    torch = any(library.startswith(TORCH) for library in loaded)
    if torch and any(library.startswith(SENTENCEPIECE) for library in loaded):
        yield f"{name}: loads both SentencePiece and LibTorch"
    if torch and name == "plumb":
        yield f"{name}: the front loads LibTorch"


def problems(build):
    tests = sorted(path.name for path in build.glob("*_test") if path.is_file())
    for name in (*PROGRAMS, *tests):
        if (build / name).exists():
            yield from problems_of(name, libraries(build / name))


def main():
    arguments = tree.parser(__doc__)
    arguments.add_argument("--build", type=pathlib.Path, help="where the programs are (build/release)")
    given = arguments.parse_args()
    build = given.build or given.root / "build" / "release"
    absent = [name for name in PROGRAMS[:2] if not (build / name).exists()]
    what = "programs" + (f" ({', '.join(absent)} not built)" if absent else "")
    return tree.conclude(what, list(problems(build)))


if __name__ == "__main__":
    sys.exit(main())
