"""A disk that is full soon."""

import pathlib
import subprocess


class SmallDisk:
    """A file system in memory that only processes in its own mount namespace see. It lasts as long as its keeper."""

    def __init__(self, folder, size):
        folder.mkdir()
        self.keeper = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c",
             f'mount -t tmpfs -o size={size} none "{folder}" && echo mounted && exec sleep 1000000'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.is_mounted = self.keeper.stdout.readline() == b"mounted\n"
        # How the rest of the system sees it.
        self.folder = pathlib.Path(f"/proc/{self.keeper.pid}/root{folder}")

    def inside(self, folder):
        """The words that run a program in `folder` where the disk is seen."""
        return ["nsenter", f"--mount=/proc/{self.keeper.pid}/ns/mnt", f"--wd={folder}"]

    def end(self):
        self.keeper.kill()
        self.keeper.wait()
        self.keeper.stdout.close()
