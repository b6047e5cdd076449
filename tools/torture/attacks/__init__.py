"""All attacks, in the order in which they are made."""

from attacks.audio import Audio
from attacks.companions import Fuzz, Guard
from attacks.concurrent import Concurrent
from attacks.configs import Configs
from attacks.disk import Disk
from attacks.edits import Edits
from attacks.flips import Flips
from attacks.full_disks import FullDisks
from attacks.kills import Kills
from attacks.limits import Limits
from attacks.lines import Lines
from attacks.odd_files import OddFiles
from attacks.power_cut import PowerCut
from attacks.situations import Situations
from attacks.soak import Soak
from attacks.standard_files import StandardFiles
from attacks.truncations import Truncations
from attacks.vocabularies import Vocabularies

ALL = (Kills, Flips, Truncations, Edits, OddFiles, Situations, Disk, PowerCut, FullDisks, StandardFiles, Limits, Concurrent,
       Configs, Vocabularies, Audio, Lines, Soak, Fuzz, Guard)
