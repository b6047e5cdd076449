"""Commands killed at random moments, again and again, and finished: the same bits as if nothing had happened."""

import signal
import time

import killed
from attack import Attack, Failed

MOST_KILLS = 4
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Kills(Attack):
    name = "kills"
    about = "SIGKILL, SIGTERM, SIGINT, SIGHUP at random moments of train, prepare, sweep, finetune, probe, reproduce; then finish"
    share = 4.0
    short = 4

    def __init__(self, lab):
        super().__init__(lab)
        self.commands = [one(lab) for one in killed.ALL]

    def plan(self, case):
        """(command, [(signal, when as a share of an undisturbed run)]). Training is killed every other time."""
        command = self.commands[0] if case % 2 == 0 else self.commands[1 + case // 2 % (len(self.commands) - 1)]
        draw = self.draw(case)
        signals = draw.choices(SIGNALS, (5, 2, 1, 1), k=draw.randint(1, MOST_KILLS))
        return command, [(one, draw.uniform(0.02, 0.98)) for one in signals]

    def run(self, case):
        command, kills = self.plan(case)
        span, right = command.undisturbed
        folder, story = command.fresh(), []
        try:
            for number, share in kills:
                story.append(f"{number.name} at {share:.0%}")
                self.kill(command, folder, number, share * span)
            ended = self.lab.program.run(*command.arguments, cwd=folder, limit=30 * span + 60).check(0, what=command.name)
            found = command.outcome(folder, ended)
        except Failed as failed:
            raise Failed(failed.kind, f"{command.name}, {', '.join(story)}: {failed}") from None
        if found != right:
            text = f"{command.name}, {', '.join(story)}: finished with {what_differs(right, found)}"
            raise Failed("silently wrong", text)

    def kill(self, command, folder, number, delay):
        """Starts the command and sends the signal after a while; it has to be gone soon, and its children with it."""
        running = self.lab.program.start(*command.arguments, cwd=folder)
        end = time.monotonic() + delay
        while running.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        sent = running.poll() is None
        running.signal(number)
        ended = running.wait(self.lab.program.limit)
        # Before it listens a signal just ends it; afterwards it saves and says so.
        allowed = (0, -number, 128 + number) if sent else (0,)
        ended.check(*allowed, what=f"{command.name} at {number.name}")
        deadline = time.monotonic() + 10
        while running.session() and time.monotonic() < deadline:
            time.sleep(0.02)
        if running.session():
            running.end_session()
            raise Failed("other", f"children outlived it after {number.name}")


def what_differs(right, found):
    """The first thing that is not as it should be, for the list of failures."""
    if isinstance(right, (tuple, list)) and isinstance(found, (tuple, list)) and len(right) == len(found):
        return next(what_differs(one, other) for one, other in zip(right, found) if one != other)
    if isinstance(right, dict) and isinstance(found, dict):
        keys = sorted(key for key in {*right, *found} if right.get(key) != found.get(key))
        return f"other contents: {', '.join(map(str, keys[:5]))}"
    return f"{str(found)[:80]} instead of {str(right)[:80]}"
