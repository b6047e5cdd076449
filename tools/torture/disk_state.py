"""What a disk may hold after a power cut, made from a record of the calls that changed it (shim.c, mode record).

The model is that of the manual pages, which is less than most file systems give:
- bytes of a file are safe once the file was synced; of later writes each block is there, is not, or is rubbish;
- an entry of a folder (created, renamed, removed) is safe once the folder was synced; later ones may be missing, in
  order (a journal) or one by one. A rename is one change: never half of it.
"""

from dataclasses import dataclass, field
from pathlib import Path

BLOCK = 4096


@dataclass
class Call:
    operation: str
    inode: int
    offset: int
    path: str
    other: str
    data: bytes


def read_record(file, root):
    """The calls in order, with paths relative to the root."""
    content, at, calls = Path(file).read_bytes(), 0, []
    prefix = str(Path(root).resolve())

    def relative(path):
        return path[len(prefix) + 1:] if path.startswith(prefix + "/") else ""

    while at < len(content):
        end = content.index(b"\n", at)
        operation, inode, offset, size, path, other = content[at:end].decode().split("\t")
        at = end + 1 + int(size)
        calls.append(Call(operation, int(inode), int(offset), relative(path), relative(other), content[end + 1:at]))
    return calls


@dataclass
class File:
    safe: bytes = b""
    pending: list = field(default_factory=list)  # (offset, bytes), or (length, None): cut to it


@dataclass
class Entry:
    """One change of entries: [(folder, name, what is there afterwards or None)]."""

    effects: list
    safe: bool = False


class DiskState:
    """The nodes and changes of a record up to some call. Folders are dictionaries only once a disk is made of it."""

    def __init__(self):
        self.root = object()
        self.folders, self.files, self.changes = {"": self.root}, {}, []
        self.paths = {}  # path -> file or folder, as the running program sees it

    def node(self, path):
        return self.root if path == "" else self.paths[path]

    def change(self, *effects):
        split = [(path.rpartition("/")[0], path.rpartition("/")[2], node) for path, node in effects]
        self.changes.append(Entry([(self.node(folder), name, node) for folder, name, node in split]))

    def apply(self, call):
        getattr(self, "_" + call.operation)(call)

    def _create(self, call):
        self.paths[call.path] = self.files[call.inode] = File()
        self.change((call.path, self.paths[call.path]))

    def _mkdir(self, call):
        self.paths[call.path] = object()
        self.change((call.path, self.paths[call.path]))

    def _write(self, call):
        self.files[call.inode].pending.append((call.offset, call.data))

    def _truncate(self, call):
        self.files[call.inode].pending.append((call.offset, None))

    def _fsync(self, call):
        node = self.root if call.path == "" else self.paths.get(call.path, self.files.get(call.inode))
        if isinstance(node, File):
            node.safe, node.pending = content_of(node, lambda _: "kept"), []
        for change in self.changes:
            change.safe = change.safe or any(folder is node for folder, _, _ in change.effects)

    def _unlink(self, call):
        self.paths.pop(call.path, None)
        self.change((call.path, None))

    _rmdir = _unlink

    def _rename(self, call):
        moved = {path: node for path, node in self.paths.items() if path == call.path or path.startswith(call.path + "/")}
        for path in moved:
            del self.paths[path]
        self.change((call.other, moved[call.path]), (call.path, None))
        self.paths.update({call.other + path[len(call.path):]: node for path, node in moved.items()})


def content_of(file, fate, rubbish=None):
    """The bytes of a file if each block of a write that was not synced has the fate: kept, dropped or garbled."""
    content = bytearray(file.safe)
    for offset, data in file.pending:
        if data is None:
            if fate(offset) == "kept":
                content = content[:offset] + bytes(max(0, offset - len(content)))
            continue
        for begin in range(0, len(data), BLOCK):
            block, what = data[begin:begin + BLOCK], fate(offset)
            if what == "dropped":
                continue
            at = offset + begin
            content.extend(bytes(max(0, at + len(block) - len(content))))  # a hole is zeros
            content[at:at + len(block)] = block if what == "kept" else rubbish(len(block))
    return bytes(content)


def survivors(changes, draw):
    """Which changes of entries a power cut leaves."""
    if draw.random() < 0.5:  # a journal: all up to some point, and no less than what was synced
        least = max((at for at, change in enumerate(changes, 1) if change.safe), default=0)
        return changes[:draw.randint(least, len(changes))]
    odds = draw.choice((0.0, 0.3, 0.5, 0.9))
    return [change for change in changes if change.safe or draw.random() < odds]


def write_disk(state, draw, root):
    """Makes one of the possible disks in an empty folder."""
    entries = {}
    for change in survivors(state.changes, draw):
        for folder, name, node in change.effects:
            entries.setdefault(id(folder), {})[name] = node
    weights = draw.choice(((1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 1, 1)))

    def fate(_):
        return draw.choices(("kept", "dropped", "garbled"), weights)[0]

    def write(node, path):
        for name, child in sorted(entries.get(id(node), {}).items()):
            if isinstance(child, File):
                (path / name).write_bytes(content_of(child, fate, draw.randbytes))
            elif child is not None:
                (path / name).mkdir()
                write(child, path / name)

    write(state.root, Path(root))
