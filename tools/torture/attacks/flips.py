"""One flipped bit in every byte of a checkpoint, of its run and of the cache: noticed, or without effect."""

from functools import cached_property

from attack import Failed, NothingLeft
from damaged_run import DamagedRun


class Flips(DamagedRun):
    name = "flips"
    about = "one bit flipped in model, optimiser, state, config, vocabulary, log, cache; read by six commands"
    share = 3.0
    short = 6

    @cached_property
    def orders(self):
        """For each file the order in which its bytes are taken: every one, if there is time."""
        orders = {}
        for file, _ in self.targets():
            orders[file] = list(range(self.size(file)))
            self.draw(file).shuffle(orders[file])
        return orders

    @cached_property
    def pairs(self):
        pairs = self.targets()
        self.draw("pairs").shuffle(pairs)
        return pairs

    def count(self):
        return len(self.pairs) * max(map(len, self.orders.values()))

    def run(self, case):
        file, command = self.pairs[case % len(self.pairs)]
        order = self.orders[file]
        if case // len(self.pairs) >= len(order):
            raise NothingLeft  # a smaller file than the largest: all of its bytes have been tried
        position, bit = order[case // len(self.pairs)], self.draw(case).randrange(8)

        def flip(path):
            content = bytearray(path.read_bytes())
            content[position] ^= 1 << bit
            path.write_bytes(content)

        try:
            self.judge(file, command, flip)
        except Failed as failed:
            raise Failed(failed.kind, f"{file}, byte {position}, bit {bit}: {failed}") from None
